import { z } from 'zod';
import type { HeardRequest, Turn } from '../../../../test/fakes/model-script.ts';
import { seededRandom } from '../random.ts';
import { KINDS, type Kind } from './kinds.ts';
import { isRefining, refined } from './refine-model.ts';

// A model that mostly does its work, and does some of it wrong by a seed: it knows neither who judges it nor what is right.

/** How it goes about one mail. */
interface Way {
  readonly manner: 'right' | 'guesses' | 'mistypes' | 'forgets';
  /** It does as it is advised. */
  readonly heeds: boolean;
}

const WRONG = 0.09;
const HEEDS = 0.95;

/** What a mail has cost, every request counted where it arrives. */
export interface Cost {
  readonly calls: number;
  readonly tokens: number;
}
/** Under these names: mails that only judge, and what makes playbooks better. */
export const VERDICTS = 'verdicts';
export const REFINING = 'refining';

export interface WorkerModel {
  answer(request: HeardRequest): Turn;
  /** By id since the last look. */
  takeCosts(): ReadonlyMap<string, Cost>;
}

const ID = /\b([A-F]\d+)\b/;
const FRAME = 'You read one mail that somebody else is going to answer';
const conversation = z.looseObject({ messages: z.array(z.looseObject({ role: z.string() })) });

export function workerModel(seed: number): WorkerModel {
  const costs = new Map<string, Cost>();
  const ways = new Map<string, { readonly times: number; readonly way: Way }>();

  /** One mail is gone about in one way; of a task each due time is another mail. */
  const wayOf = (id: string, isFirst: boolean): Way => {
    const known = ways.get(id);
    if (known && !isFirst) return known.way;
    const times = (known?.times ?? 0) + 1;
    const random = seededRandom(seed * 1_000_003 + numberOf(id) + times * 7919);
    const manner: Way['manner'] = random.chance(WRONG) ? random.pick(['guesses', 'mistypes', 'forgets']) : 'right';
    const way = { manner, heeds: random.chance(HEEDS) };
    ways.set(id, { times, way });
    return way;
  };

  const turnFor = ({ view, body }: HeardRequest, id: string): Turn => {
    const kind = KINDS.find(({ letter }) => letter === id[0]);
    if (!kind) return { text: 'Noted.' };
    if (view.system.includes(FRAME)) return { text: framed(kind) };
    const { messages } = conversation.parse(body);
    const own = messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1);
    const seen = { text: JSON.stringify(own), last: view.results.at(-1)?.content ?? '', system: view.system };
    return worked(seen, kind, id, wayOf(id, own.length === 0));
  };

  return {
    answer(request) {
      const { view, raw } = request;
      const refines = isRefining(view);
      const id = ID.exec(view.lastUser)?.[1] ?? '';
      const turn = refines ? refined(view, seed) : turnFor(request, id);
      const usage = { input: Math.ceil(raw.length / 4), output: Math.ceil(JSON.stringify(turn).length / 4) };
      const judges = view.lastUser.includes('"subject":"Re: ');
      const name = refines ? REFINING : judges ? VERDICTS : id;
      const { calls, tokens } = costs.get(name) ?? { calls: 0, tokens: 0 };
      costs.set(name, { calls: calls + 1, tokens: tokens + usage.input + usage.output });
      return { ...turn, usage };
    },
    takeCosts() {
      const taken = new Map(costs);
      costs.clear();
      return taken;
    },
  };
}

const numberOf = (id: string): number => [...id].reduce((sum, char) => sum * 31 + (char.codePointAt(0) ?? 0), 7);

const framed = ({ intent }: Kind): string =>
  JSON.stringify({ kind: intent ?? 'other', wanted_effects: [], time_range: null, people: [], done: true });

const call = (name: string, args: Readonly<Record<string, string>>): Turn => ({ calls: [{ name, arguments: args }] });

/** Its next turn, from what it has been told since the mail. */
function worked(
  seen: { readonly text: string; readonly last: string; readonly system: string },
  { desk }: Kind,
  id: string,
  { manner, heeds }: Way,
): Turn {
  const has = (word: string): boolean => seen.text.includes(String.raw`\"${word}\":`);
  const holder = /\\"holder\\":\\"(\w+)\\"/.exec(seen.text)?.[1];
  const advised = heeds ? /on the way (\w+)\./.exec(seen.system)?.[1] : undefined;
  // An error comes before advice, and advice before what it was told beside.
  const ruled = /\\"route\\":\\"(\w+)\\"/.exec(seen.text)?.[1];
  const route = /the way is (\w+)/.exec(seen.last)?.[1] ?? advised ?? ruled ?? 'north';
  const note = (who: string) => call('note', { desk, id, holder: who, route });
  const end = { text: `${holder ?? 'Somebody'} has ${desk} ${id} now.` };
  if (has('taken')) return end;
  if (manner === 'guesses') return note('somebody');
  if (manner === 'mistypes' && seen.text === '[]') return call('look_up', { desk, id: `${id}x` });
  if (holder === undefined) return call('look_up', { desk, id });
  if (!has('since')) return call('look_up', { desk: 'people', id: holder });
  if (manner === 'forgets') return end;
  return has('rule') ? note(holder) : call('rule_for', { desk, id });
}
