/**
 * `look`, for all who ask: whoever asks while one is under way, or within `forMs` after one began, gets what that one
 * found, so that asking often costs no more. One that fails is not kept. A clock that was set back ends what is kept.
 */
export function sharedLook<Found>(
  look: () => Promise<Found>,
  { forMs, now }: { readonly forMs: number; now(): number },
): () => Promise<Found> {
  let last: { readonly found: Promise<Found>; readonly at: number; isOver: boolean } | null = null;
  return () => {
    const at = now();
    const isKept = last !== null && (!last.isOver || (at >= last.at && at - last.at < forMs));
    if (last !== null && isKept) return last.found;
    const made = { found: look(), at, isOver: false };
    last = made;
    made.found.then(
      () => {
        made.isOver = true;
      },
      () => {
        if (last === made) last = null;
      },
    );
    return made.found;
  };
}
