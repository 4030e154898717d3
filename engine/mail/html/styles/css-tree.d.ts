/** Parts of css-tree that load without its tables of properties: those cost 15 MB in every worker. */
declare module 'css-tree/tokenizer' {
  export { tokenize } from 'css-tree';
  export const Comment: number;
  export const Url: number;
  export const BadUrl: number;
  export const AtKeyword: number;
  const FunctionToken: number;

  export { FunctionToken as Function };
  export const LeftParenthesis: number;
  export const RightParenthesis: number;
  export const LeftSquareBracket: number;
  export const RightSquareBracket: number;
  export const LeftCurlyBracket: number;
  export const RightCurlyBracket: number;
}

declare module 'css-tree/selector-parser' {
  export { parse as default } from 'css-tree';
}

declare module 'css-tree/utils' {
  export { ident } from 'css-tree';
}
