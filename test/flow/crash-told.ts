import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { readOutgoing } from './gateway.ts';
import { CARL } from './governance-rig.ts';
import { openPersonaDb, type RunView } from './persona-db.ts';

export type Left = Awaited<ReturnType<typeof readOutgoing>>;

export const idOf = (n: number): string => `<story-${n}@member.example>`;

export const codeOf = (content: string): string => {
  const { ok, error } = JSON.parse(content) as { ok: boolean; error?: { code: string } };
  return ok ? 'ok' : (error?.code ?? '?');
};

export interface Told {
  /** Whether the process died where it was to die. */
  readonly crashed: boolean;
  readonly run: RunView;
  readonly events: readonly string[];
  /** Each call with `ok` or its code, in order. */
  readonly calls: readonly string[];
  /** Calls by name that were made and not refused, with how often their results are on record. */
  readonly rows: Readonly<Record<string, readonly string[]>>;
  readonly replies: number;
  readonly reply: string;
  readonly offers: readonly string[];
  readonly pushes: number;
  readonly note: string;
  readonly notices: readonly string[];
}

const textOf = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');

/** What mail n left behind, on disk and in the folder of outgoing mail. */
export function look(root: string, n: number, crashed: boolean, mails: readonly Left[]): Told {
  const db = openPersonaDb(root, 'ada');
  try {
    const messageId = idOf(n);
    const run = db.runOf(messageId);
    if (!run) throw new Error(`mail ${n} has no run`);
    const rows: Record<string, string[]> = {};
    const calls: string[] = [];
    for (const { event_type, tool_name, payload_json } of db.toolEvents(run.id)) {
      rows[tool_name] = [...(rows[tool_name] ?? []), event_type];
      if (event_type === 'tool_result') calls.push(`${tool_name} ${codeOf(payload_json)}`);
    }
    const about = (kind: string) => mails.filter(({ mail }) => mail.headers.get('x-epistle-kind') === kind);
    const replies = about('reply').filter(({ mail }) => mail.inReplyTo === messageId);
    const pushed = textOf(join(root, 'pushed.log'));
    return {
      crashed,
      run,
      events: db.events(run.id).map(({ type }) => type),
      calls,
      rows,
      replies: replies.length,
      reply: (replies[0]?.mail.text ?? '').split('\n-- ')[0]?.trim() ?? '',
      offers: about('reply')
        .filter(({ envelopeTo, mail }) => envelopeTo === CARL && mail.subject === `Offer ${n}`)
        .map(({ mail }) => (mail.text ?? '').split('\n-- ')[0]?.trim() ?? ''),
      pushes: pushed.split('\n').filter((line) => line === String(n)).length,
      note: textOf(join(root, `data/personas/ada/files/note-${n}.txt`)),
      notices: about('notice')
        .filter(({ mail }) => (mail.text ?? '').includes(run.id))
        .map(({ mail }) => mail.text ?? ''),
    };
  } finally {
    db.close();
  }
}

/**
 * Where the end of mail n is not the one that all of them must have, whatever happened on the way. Of `push` alone
 * nobody may be sure, and then the owner is told.
 */
export function differences(told: Told, n: number): string[] {
  const push = told.calls.find((call) => call.startsWith('push '))?.slice('push '.length) ?? '';
  const known = push === 'ok';
  const found: [string, unknown, unknown][] = [
    // Of a call that was cut off it is known at once that nothing is known, so the order may differ.
    [
      'calls',
      told.calls.toSorted(),
      ['edit_file policy_denied', 'list_files ok', `push ${push}`, 'send_email ok', 'write_file ok'],
    ],
    ['push', ['ok', 'side_effect_unknown'].includes(push), true],
    ['pushes', known ? told.pushes === 1 : told.pushes <= 1, true],
    ['rows', Object.values(told.rows).every((types) => types.join() === 'tool_call,tool_result'), true],
    ['run', [told.run.status, told.run.outcome, told.run.provider], ['done', 'final', 'steady']],
    ['replies', told.replies, 1],
    ['reply', known ? told.reply.startsWith('send_email ok\n\n') : /Not certain: .*push/.test(told.reply), true],
    ['offers', told.offers, [`Dear Carl, ${n}`]],
    ['note', told.note, String(n)],
    ['notices', told.notices.map((notice) => notice.includes('in the middle of this: push')), known ? [] : [true]],
  ];
  return found
    .filter(([, is, wanted]) => JSON.stringify(is) !== JSON.stringify(wanted))
    .map(([what, is]) => `mail ${n}: ${what} ${JSON.stringify(is)}`);
}
