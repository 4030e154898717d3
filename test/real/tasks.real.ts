import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { type ParsedMail, simpleParser } from 'mailparser';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { localTime } from '../../engine/lib/schedule/zone.ts';
import { type MailServers, startMailServers } from '../lab/mail-servers.ts';
import { DOMAIN, mailboxOf, makeSite, OWNER, PASSWORD, type Site, STAMP, send } from '../lab/site.ts';

const ADA = `agents@${DOMAIN}`;
const ZONE = 'America/New_York';
/** Long enough to be agreed on by mail before it is due, also on a slow machine. */
const LEAD_S = 25;

let lab: MailServers;
let site: Site;

beforeAll(async () => {
  lab = await startMailServers({
    users: Object.fromEntries(['agents', 'you', 'boss'].map((user) => [user, PASSWORD])),
    domain: DOMAIN,
    aliases: {},
    stamp: STAMP,
  });
  site = makeSite(lab, {
    mailboxes: [mailboxOf(lab, 'agents')],
    personas: { ada: { name: 'Ada', address: ADA, timezone: ZONE } },
  });
  const security = join(site.workspace.root, 'configs/security.json');
  const approvals = { approvals: { batch_window_s: 0 } };
  site.workspace.write('configs/security.json', { ...JSON.parse(readFileSync(security, 'utf8')), ...approvals });
  await site.start();
});
afterAll(async () => {
  await site.close();
  await lab.stop();
});

const kindOf = (mail: ParsedMail) => mail.headers.get('x-epistle-kind');

/** The nth mail of a kind in the owner's mailbox, once it is there. */
const nth = (kind: string, count: number): Promise<ParsedMail> =>
  vi.waitFor(
    async () => {
      const mails = await Promise.all((await lab.read('boss')).map(({ raw }) => simpleParser(raw)));
      const found = mails.filter((mail) => kindOf(mail) === kind);
      expect(found).toHaveLength(count);
      return found.at(-1) as ParsedMail;
    },
    { timeout: 60_000, interval: 100 },
  );

/** The owner asks by mail, sees what would be, and says yes; resolves when it is done. */
async function agree(change: object, count: number): Promise<ParsedMail> {
  const text = `Please.\r\n/schedule_task ${JSON.stringify(change)}`;
  await send(lab, { id: `ask-${count}`, from: OWNER, to: ADA, subject: `Task ${count}`, text });
  const notice = await nth('approval', count);
  const to = notice.replyTo?.value[0]?.address ?? '';
  const headers = [`In-Reply-To: ${notice.messageId}`, `References: ${notice.messageId}`];
  await send(lab, { id: `yes-${count}`, from: OWNER, to, subject: `Re: ${notice.subject}`, headers, text: 'approve' });
  await nth('reply', count);
  return notice;
}

interface Timing {
  readonly due_at: number;
  readonly started_at: number;
  readonly ended_at: number;
}

function timings(): Timing[] {
  const database = new Database(join(site.workspace.root, 'data/personas/ada/persona.db'), { readonly: true });
  try {
    return database
      .prepare<[], Timing>(
        `select t.due_at, r.started_at, r.ended_at from task_times t join runs r on r.id = t.run_id order by t.due_at`,
      )
      .all();
  } finally {
    database.close();
  }
}

/** As people of that zone would write it: so many seconds from now. */
const wallIn = (seconds: number) => {
  const at = Math.ceil(Date.now() / 1000 + seconds) * 1000;
  return { at, wall: localTime(ZONE, at).slice(0, 19) };
};

describe('a task that an owner asks for by mail, over real mail servers', () => {
  it('runs on time in the zone of its persona, and is changed and removed likewise', { timeout: 240_000 }, async () => {
    const file = join(site.workspace.root, 'personas/ada/tasks/report.md');
    const first = wallIn(LEAD_S);
    const create = { action: 'create', task: 'report', schedule: `at ${first.wall}`, prompt: 'What is new?' };
    const notice = await agree(create, 1);
    expect(notice.text).toContain(first.wall);
    expect(readFileSync(file, 'utf8')).toContain(`schedule: at ${first.wall}`);
    await nth('task', 1);
    const seenFirst = Date.now();

    const second = wallIn(LEAD_S);
    await agree({ action: 'change', task: 'report', schedule: `at ${second.wall}` }, 2);
    await nth('task', 2);
    const seenSecond = Date.now();

    await agree({ action: 'remove', task: 'report' }, 3);
    expect(existsSync(file)).toBe(false);

    const rows = timings();
    expect(rows.map(({ due_at }) => due_at)).toEqual([first.at, second.at]);
    const waits = rows.map(({ due_at, started_at }) => started_at - due_at);
    const arrivals = [seenFirst, seenSecond].map((seen, index) => seen - (rows[index]?.ended_at ?? 0));
    process.stderr.write(`${JSON.stringify({ claimed_after_ms: waits, in_mailbox_after_ms: arrivals })}\n`);
    for (const wait of waits) expect(wait).toBeLessThanOrEqual(10_000);
    for (const arrival of arrivals) expect(arrival).toBeLessThanOrEqual(20_000);
  });
});
