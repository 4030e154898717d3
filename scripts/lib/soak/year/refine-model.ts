import { z } from 'zod';
import type { RequestView, Turn } from '../../../../test/fakes/model-script.ts';
import { seededRandom } from '../random.ts';
import { KINDS, playbookFor, type Route } from './kinds.ts';

// The model that makes playbooks better. It writes what it finds in the examples that it is shown, and sometimes something
// that is no good.

const CRITIC = 'You look at how a mail assistant works one kind of mail';
const WRITER = 'You write a better version of a playbook';
/** Of what it writes, so much is wrong. */
const WRONG = 0.2;

export const isRefining = ({ system }: RequestView): boolean => system.includes(CRITIC) || system.includes(WRITER);

const example = z.looseObject({
  verdict: z.enum(['good', 'bad']),
  right_calls: z.array(z.looseObject({ tool: z.string(), arguments: z.looseObject({ route: z.string().optional() }) })),
});

export function refined(view: RequestView, seed: number): Turn {
  if (view.system.includes(CRITIC)) return { text: 'The steps do not do what good runs did.' };
  const text = view.lastUser;
  const work = /Playbook of the kind (\S+?),/.exec(text)?.[1];
  const kind = KINDS.find((one) => one.work === work);
  const examples = text.split('\n').flatMap((line) => (line.startsWith('{') ? example.parse(JSON.parse(line)) : []));
  const notes = examples.flatMap((one) => (one.verdict === 'good' ? one.right_calls : []));
  // The newest stand first.
  const way = notes.find(({ tool }) => tool === 'note')?.arguments.route;
  if (!kind || way === undefined) return { text: 'I do not know.' };
  const route: Route = way === 'south' ? 'south' : 'north';
  const random = seededRandom(seed * 31 + text.length);
  if (random.chance(WRONG)) return { text: random.pick(['{"meta": {', wrongly(playbookFor(kind, other(route)))]) };
  return { text: JSON.stringify(playbookFor(kind, route)) };
}

const other = (route: Route): Route => (route === 'north' ? 'south' : 'north');
const wrongly = (playbook: object): string => JSON.stringify(playbook);
