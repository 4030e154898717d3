import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Json } from '#contract';
import { MEMBER, OWNER } from '../governance-rig.ts';
import { composed, type OwnWordsOffice, openOwnWords } from './rig.ts';

// Requests of owners with the verdict that somebody expects who has read docs/approvals.md and nothing else
// (`format.md` says what they were given). Who wrote them has seen no code.

interface Person {
  readonly name: string;
  readonly address: string;
}
interface Written {
  readonly from: 'owner' | 'member';
  readonly to?: readonly (string | Person)[];
  readonly cc?: readonly (string | Person)[];
  readonly subject: string;
  readonly text: string;
}
interface Request {
  readonly id: string;
  readonly before?: readonly Written[];
  readonly mail: Written;
  readonly call: { readonly tool: string; readonly arguments: { readonly [key: string]: Json } };
  readonly expected: 'done' | 'asked';
  /** What the page says since it was made plainer, where its reader was unsure and guessed something else. */
  readonly plainer?: 'done' | 'asked';
  readonly because: string;
}

const corpus = new URL('../../corpus/own-words/', import.meta.url);
const REQUESTS: readonly Request[] = JSON.parse(readFileSync(new URL('requests.json', corpus), 'utf8'));

const FILES = ['plan.txt', 'notes/offer.txt', 'notes/tea.md', 'old/plan.txt', 'lists/guests.txt', 'drafts/letter.md'];
const WORLD = {
  ...Object.fromEntries(
    [...FILES, 'drafts/speech.md'].map((name) => [`data/personas/ada/files/${name}`, `The words of ${name}\n`]),
  ),
  'personas/ada/persona.json': {
    name: 'Ada',
    address: 'ada@agents.localhost',
    access: { allow: [MEMBER, 'max@member.example'] },
  },
};

const rawOf = ({ from, to = [], cc = [], subject, text }: Written) =>
  composed({
    from: from === 'owner' ? OWNER : MEMBER,
    to: ['ada@agents.localhost', ...to],
    cc: [...cc],
    subject,
    text,
  });

async function verdictOn(
  office: OwnWordsOffice,
  { before = [], mail, call }: Request,
): Promise<'done' | 'asked' | 'not made'> {
  for (const earlier of before) await office.toldRaw('', await rawOf(earlier), []);
  const { run, verdicts } = await office.toldRaw('', await rawOf(mail), [
    { name: call.tool, arguments: call.arguments },
  ]);
  // A call that is not written as its tool wants it is not made, and nobody is asked.
  if (verdicts.length === 0 && office.codesOf(run.id).includes('invalid_arguments')) return 'not made';
  return run.status === 'waiting_approval' ? 'asked' : verdicts.at(-1)?.verdict === 'allow' ? 'done' : 'asked';
}

/** Names of one request are not to be names of another; and what counts within an hour are ten acts. */
const alone = ({ before = [], mail: { cc = [], to = [] } }: Request) => before.length + cc.length + to.length > 0;
const SHARED = REQUESTS.filter((one) => !alone(one));
const GROUPS: readonly (readonly Request[])[] = [
  ...REQUESTS.filter(alone).map((one) => [one]),
  ...Array.from({ length: Math.ceil(SHARED.length / 8) }, (_, at) => SHARED.slice(at * 8, at * 8 + 8)),
];

describe('requests of owners', () => {
  it('are two hundred, of which most are to be done', () => {
    expect(REQUESTS).toHaveLength(200);
    expect(REQUESTS.filter(({ expected }) => expected === 'done').length).toBeGreaterThan(100);
  });

  it.each(GROUPS.map((group) => [group.map(({ id }) => id).join(', '), group] as const))('%s', async (_, group) => {
    const office = await openOwnWords({}, WORLD);
    try {
      const found: Record<string, string> = {};
      for (const request of group) {
        const verdict = await verdictOn(office, request);
        found[request.id] = verdict === 'not made' ? 'asked' : verdict;
      }
      expect(found).toEqual(Object.fromEntries(group.map(({ id, expected, plainer = expected }) => [id, plainer])));
    } finally {
      await office.close();
    }
  });
});
