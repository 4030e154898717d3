import type { Words } from '../../storage/types/recall.ts';

/** A table of numbers, emptied by counting on: to make one anew for each choice would cost more than to use it. */
let slots = new Int32Array(4096);
let takenBy = new Int32Array(4096);
let places = new Int32Array(4096);
const round = { number: 0 };

function emptied(least: number): number {
  if (slots.length < least) {
    const size = 2 ** Math.ceil(Math.log2(least));
    [slots, takenBy, places] = [new Int32Array(size), new Int32Array(size), new Int32Array(size)];
  }
  round.number += 1;
  return slots.length - 1;
}

/** The words of each as places from 0 on, and of each place in how many it stands. */
export function numbered(texts: readonly Words[]): { readonly of: readonly Int32Array[]; readonly many: Float64Array } {
  const all = texts.reduce((sum, words) => sum + words.length, 0);
  const mask = emptied(all * 2);
  const many = new Float64Array(all);
  let next = 0;
  const placeOf = (word: number): number => {
    let slot = (word ^ (word >>> 15)) & mask;
    while (takenBy[slot] === round.number) {
      if (slots[slot] === word) return places[slot] ?? 0;
      slot = (slot + 1) & mask;
    }
    takenBy[slot] = round.number;
    slots[slot] = word;
    places[slot] = next;
    next += 1;
    return next - 1;
  };
  const of = texts.map((words) => {
    const own = new Int32Array(words.length);
    for (let at = 0; at < words.length; at += 1) {
      const place = placeOf(words[at] ?? 0);
      own[at] = place;
      many[place] = (many[place] ?? 0) + 1;
    }
    return own;
  });
  return { of, many: many.subarray(0, next) };
}
