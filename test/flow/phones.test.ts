import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PhoneAnswer, phoneAnswers } from '../corpus/phones/index.ts';
import { type Office, OWNER, openOffice } from './governance-rig.ts';
import { onceRecorded } from './record.ts';

// What people type on telephones, through the whole gateway: a yes lets the mail leave, and what stands beside it is worked on.

const ASK = {
  1: (n: number) => `/send_email {"to": ["bob@example.org"], "subject": "Offer ${n}", "body": "Hello Bob"}`,
} as const;

/** Without the mails that a program has quoted: those answer another question. */
const plain = phoneAnswers.filter(({ text, clear }) => clear && !/^>|wrote:|schrieb|escribió/m.test(text));
const wanted = [
  ...plain.filter(({ beside, acts }) => beside !== null && acts === 1),
  ...plain.filter(({ beside, expected, acts }) => beside === null && expected === 'yes' && acts === 1).slice(0, 40),
].filter((_, at, { length }) => length > 0 && at < 48);

const rig: { office?: Office } = {};
beforeAll(async () => {
  rig.office = await openOffice({
    'configs/security.json': {
      owners: [OWNER],
      approvals: { batch_window_s: 0 },
      loop_guard: { max_replies_per_sender_per_hour: 0, max_replies_per_thread_per_hour: 0, max_fast_replies: 0 },
    },
  });
}, 60_000);
afterAll(() => rig.office?.close());

interface Seen {
  readonly state: string;
  /** What runs were begun with. */
  readonly words: readonly string[];
}

function look(root: string, n: number): Seen {
  const database = new SQLite(join(root, 'data/personas/ada/persona.db'), { readonly: true });
  try {
    const state = database
      .prepare<[string], string>(`select state from approvals where arguments_json like ? order by created_at desc`)
      .pluck()
      .get(`%Offer ${n}"%`);
    const words = database
      .prepare<[], string>(
        `select m.new_text from messages m join runs r on r.message = m.id where m.direction = 'in' and m.from_address = '${OWNER}'`,
      )
      .pluck()
      .all();
    return { state: state ?? 'none', words };
  } finally {
    database.close();
  }
}

const squeezed = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

describe('answers of telephones, by mail', () => {
  it('are at least forty', () => expect(wanted.length).toBeGreaterThanOrEqual(40));

  it.each(wanted.map((said, at) => [said.id, said, at + 1] as const))(
    '%s: is acted on with all of its words, or asked back about',
    async (_, said: PhoneAnswer, n) => {
      const office = rig.office as Office;
      await office.ask(ASK[1](n));
      const notice = await onceRecorded(office.root, async () => {
        const found = (await office.left('approval', OWNER)).find(({ mail }) => mail.text?.includes(`Offer ${n}`));
        if (!found) throw new Error(`nobody was asked about offer ${n}`);
        return found;
      });
      await office.answer(notice, said.text);
      const seen = await onceRecorded(office.root, async () => {
        const now = look(office.root, n);
        const asked = (await office.left('clarify', OWNER)).length;
        if (now.state !== 'executed' && asked === asks.count) throw new Error(`offer ${n} is ${now.state}`);
        asks.count = asked;
        return now;
      });
      outcomes.push(seen.state);
      if (said.beside !== null && seen.state === 'executed') {
        const beside = squeezed(said.beside);
        await onceRecorded(office.root, () =>
          expect(
            look(office.root, n)
              .words.map(squeezed)
              .filter((words) => words.includes(beside)),
          ).toHaveLength(1),
        );
        reached.push(said.id);
      }
    },
  );

  it('are acted on for the most part, and none of the words beside a yes is lost', () => {
    process.stdout.write(
      `answers of telephones by mail: ${outcomes.filter((state) => state === 'executed').length} of ${outcomes.length} acted on, the words of ${reached.length} reached a run\n`,
    );
    expect(outcomes.filter((state) => state === 'executed').length).toBeGreaterThanOrEqual(25);
  });
});

const asks = { count: 0 };
const outcomes: string[] = [];
const reached: string[] = [];
