/** For how long what a tool took away can be brought back. */
export const UNDO_DAYS = 7;
export const UNDO_MS = UNDO_DAYS * 86_400_000;
