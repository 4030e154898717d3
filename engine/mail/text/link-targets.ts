/** Programs write the target of a link behind its text; nobody typed it. A long one may be broken over lines. */
export const withoutLinkTargets = (text: string): string =>
  text
    .replace(/[<[(](?:mailto|https?):(?:[^\s<>()[\]]|\n[ \t>]{0,8}){0,2000}[>\])]/gi, ' ')
    .replace(
      /[<[(][^\s<>()[\]@]{1,64}@[^\s<>()[\]@?]{1,190}\?(?:subject|body)=(?:[^\s<>()[\]]|\n[ \t>]{0,8}){0,2000}[>\])]/gi,
      ' ',
    );
