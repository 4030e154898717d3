/** About as many as the vocabularies of today make of a text: a word of usual length is one, a long one more. */
export const tokensIn = (text: string): number =>
  (text.match(/\p{L}+|\p{N}{1,3}|[^\s\p{L}\p{N}]{1,3}/gu) ?? []).reduce(
    (sum, piece) => sum + Math.ceil(piece.length / 7),
    0,
  );
