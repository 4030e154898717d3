/** Older models send calls without ids. These are made up, deterministically, and never go over the wire. */
export const makeCallId = (turn: number, index: number): string => `call_${turn}_${index}`;

/** The vendor's id of a call; undefined when the vendor gave none. */
export const wireCallId = (id: string): string | undefined => (/^call_\d+_\d+$/.test(id) ? undefined : id);
