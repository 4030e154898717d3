import { type Shape, shapeOf } from './expression-shape.ts';

/** A text that costs an expression as much as its author could think of: `start`, then `pump` again and again, then `end`. */
export interface Attack {
  readonly start: string;
  readonly pump: string;
  readonly end: string;
}

/** What follows the pump: nothing, or what hardly any expression goes on with. */
const ENDS = ['', '\u0000', '\n', '!', 'Z9'];
const MOST = 2000;

/** Loops that run further than this are tried. */
const LONG_LOOP = 8;

/**
 * Texts made of the expression itself: each of its characters, each of its beginnings and each of its loops repeated,
 * behind what leads to the loop, and before what does not end it.
 */
export function attacksOn(pattern: RegExp): readonly Attack[] {
  const shape = shapeOf(pattern);
  const attacks = new Map<string, Attack>();
  for (const attack of [...onPumps(shape), ...loopsOf(shape, ['']).flatMap(onLoop)]) {
    const { start, pump, end } = attack;
    if (pump !== '') attacks.set(`${start}\u0001${pump}\u0001${end}`, attack);
  }
  return [...attacks.values()].slice(0, MOST);
}

function onPumps(shape: Shape): readonly Attack[] {
  const pumps = new Set<string>([' ', 'a', '\n', ...charactersOf(shape)]);
  for (const sample of samplesOf(shape, 6)) {
    const beginnings = Array.from({ length: Math.min(sample.length, 24) }, (_, length) => sample.slice(0, length));
    for (const pump of [sample, ...beginnings, sample.slice(0, -1), `${sample} `, `${sample}\n`]) pumps.add(pump);
  }
  // Behind an `x` nothing that is tied to the beginning can take the pump at once.
  return [...pumps].flatMap((pump) =>
    ['', 'x'].flatMap((start) => ['', '\u0000'].map((end) => ({ start, pump, end }))),
  );
}

const onLoop = ({ before, bodies }: Loop): readonly Attack[] =>
  before.slice(0, 4).flatMap((start) => [
    { start: '', pump: start, end: '\u0000' },
    ...bodies.flatMap((body, index) => [
      ...ENDS.map((end) => ({ start, pump: body, end })),
      { start: '', pump: start + body, end: '\u0000' },
      { start: '', pump: start + body.repeat(40), end: '\u0000' },
      // Two ways through a loop in turn: what looks alike to two of its parts.
      { start, pump: body + (bodies[index + 1] ?? bodies[0] ?? ''), end: '\u0000' },
    ]),
  ]);

export const textOf = ({ start, pump, end }: Attack, length: number): string =>
  (start + pump.repeat(Math.max(1, Math.ceil((length - start.length - end.length) / pump.length)))).slice(
    0,
    length - end.length,
  ) + end;

function charactersOf(shape: Shape): readonly string[] {
  switch (shape.kind) {
    case 'one':
      return shape.of;
    case 'row':
      return [...new Set(shape.parts.flatMap(charactersOf))].slice(0, 60);
    case 'either':
      return [...new Set(shape.of.flatMap(charactersOf))].slice(0, 60);
    case 'many':
    case 'look':
      return charactersOf(shape.part);
    case 'nothing':
      return [];
  }
}

/** Up to `most` texts of a shape, as different as its branches. */
function samplesOf(shape: Shape, most: number): readonly string[] {
  switch (shape.kind) {
    case 'one':
      return shape.of.slice(0, most);
    case 'either':
      return spread(
        shape.of.map((each) => samplesOf(each, Math.max(1, Math.floor(most / 2)))),
        most,
      );
    case 'many': {
      const once = samplesOf(shape.part, most);
      const times = Math.min(Math.max(shape.min, 1), 40);
      const more = shape.max > times + 2 ? once.slice(0, 2).map((each) => each.repeat(times + 2)) : [];
      return [...once.map((each) => each.repeat(times)), ...more].slice(0, most);
    }
    case 'row': {
      let texts: readonly string[] = [''];
      for (const part of shape.parts) {
        const next = samplesOf(part, most);
        if (next.length === 0) continue;
        const count = Math.min(most, Math.max(texts.length, next.length));
        const left = texts;
        texts = Array.from(
          { length: count },
          (_, index) => (left[index % left.length] ?? '') + (next[index % next.length] ?? ''),
        );
      }
      return [...new Set(texts)];
    }
    case 'look':
    case 'nothing':
      return [];
  }
}

/** One of each list in turn. */
function spread(lists: readonly (readonly string[])[], most: number): readonly string[] {
  const out = new Set<string>();
  for (let index = 0; index < most; index += 1)
    for (const list of lists) if (list[index] !== undefined) out.add(list[index] ?? '');
  return [...out].slice(0, most * 2);
}

interface Loop {
  /** Texts that lead to it. */
  readonly before: readonly string[];
  /** Texts of one round. */
  readonly bodies: readonly string[];
}

function loopsOf(shape: Shape, before: readonly string[]): readonly Loop[] {
  switch (shape.kind) {
    case 'row': {
      let led = before;
      return shape.parts.flatMap((part) => {
        const inside = loopsOf(part, led);
        const next = samplesOf(part, 3);
        if (next.length > 0) {
          const left = led;
          led = [...new Set(left.flatMap((start) => next.map((each) => start + each)))].slice(0, 6);
        }
        return inside;
      });
    }
    case 'either':
      return shape.of.flatMap((each) => loopsOf(each, before));
    case 'many': {
      const own = shape.max > LONG_LOOP ? [{ before, bodies: samplesOf(shape.part, 8) }] : [];
      return [...own, ...loopsOf(shape.part, before)];
    }
    case 'look':
      return loopsOf(shape.part, before);
    case 'one':
    case 'nothing':
      return [];
  }
}
