import type { Piece, PieceKind } from '#contract';
import { brief } from './brief.ts';

const KIND: Readonly<Record<PieceKind, string>> = {
  written: 'written by its sender',
  asked: 'words of ours, left standing',
  quoted: 'older mail, quoted',
  forwarded: 'forwarded, of others',
  signature: 'a signature',
  unknown: 'of nobody that is known',
};

/** One line for each piece of a mail, in its order: whose words it was taken for, how much, and how it begins. */
export const pieceLines = (pieces: readonly Piece[]): string[] =>
  pieces.map(({ kind, text }) => {
    const count = text.trim().split('\n').length;
    return `${KIND[kind]}, ${count} ${count === 1 ? 'line' : 'lines'}: ${brief(text.trim(), 60)}`;
  });
