import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWaitNoticeWriter } from '../../../../engine/delivery/notices/wait-notice.ts';
import {
  createApprovalNoticeWriter,
  createApprovalReminder,
} from '../../../../engine/delivery/questions/approval-mail.ts';
import { visible } from '../../../../engine/delivery/questions/approval-text.ts';
import { createClarifier } from '../../../../engine/delivery/questions/clarify-mail.ts';
import { describeParts } from '../../../../engine/delivery/questions/question-parts.ts';
import { sha256 } from '../../../../engine/lib/ids.ts';
import { renderLetter } from '../../../../engine/mail/compose/letter.ts';
import { readMail } from '../../../../engine/mail/reading/read-mail.ts';
import { clarify, waitNotice } from '../../../../engine/record/jobs/job-kinds.ts';
import type { Store } from '../../../../engine/storage/ports/store.ts';
import type { Approval } from '../../../../engine/storage/types/approvals.ts';
import { doJob } from '../../../fakes/do-job.ts';
import { call, makeApprovalRig, once, toCarl } from '../../harness/approvals-rig.ts';

type Made = Awaited<ReturnType<typeof makeApprovalRig>>;
const open: { made?: Made } = {};
afterEach(() => open.made?.rig.close());

const writers = ({ rig }: Made) => {
  const { filesOf } = rig.harness;
  const deps = { configs: () => rig.configs, clock: rig.clock, ids: rig.harness.ids, filesOf };
  return [
    createApprovalNoticeWriter(deps),
    createApprovalReminder(deps),
    createClarifier(deps),
    createWaitNoticeWriter(deps),
  ];
};

/** Does the due jobs of these kinds once, as the dispatcher would. */
async function work(made: Made, around: (store: Store) => Store = (store) => store): Promise<void> {
  await made.rig.withStore(async (store) => {
    for (const job of await store.dueJobs(made.rig.clock.now(), 20)) {
      const handler = writers(made).find(({ kind }) => kind === job.kind);
      if (handler) await doJob(handler, job, { persona: made.rig.persona, store: around(store) });
    }
  });
}

/** Mail of a kind, as its reader's client takes it apart. */
async function mails({ rig }: Made, kind: string) {
  return rig.withStore(async (store) => {
    const rows = (await store.listOutbox({ limit: 100 })).filter((row) => row.kind === kind);
    return Promise.all(
      rows.toReversed().map(async (row) => {
        const raw = Buffer.from((await store.outboxRaw(row.id))?.raw ?? []);
        const read = await readMail(raw, rig.configs.gateway.limits);
        if (!read.ok) throw new Error(read.message);
        return { row, mail: read.mail, text: read.mail.text, raw: raw.toString('utf8') };
      }),
    );
  });
}

async function held(
  args: Parameters<typeof toCarl>[1] = {},
  files: Readonly<Record<string, string>> = {},
): Promise<Made> {
  const made = await makeApprovalRig(once((n) => [call('m1', 'send_email', toCarl(n, args))]));
  open.made = made;
  const folder = made.rig.harness.filesOf('ada').filesRoot;
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  await made.rig.answer({ text: 'n=1' });
  return made;
}

describe('the notice about a held call', () => {
  it('carries a token that only its mail knows', async () => {
    const made = await held();
    await work(made);
    const [notice] = await mails(made, 'approval');
    const token = /\+ok-([0-9a-f]{32})@/.exec(notice?.mail.replyTo[0]?.address ?? '')?.[1] ?? '';
    expect(notice?.mail.subject).not.toContain(token.slice(0, 8));
    expect(notice?.raw).toContain(`ok-${token}`);
    const found = await made.rig.withStore((store) => store.findNotice({ tokenSha256: sha256(token) }));
    expect(found?.items).toMatchObject([{ tool: 'send_email', number: 1, state: 'pending' }]);
    expect(JSON.stringify(found)).not.toContain(token);
    expect(notice?.text).not.toContain(token);
  });

  it('shows what would not be seen, and lets nothing in an argument look like part of the notice', async () => {
    const made = await held({
      subject: 'Hi‮moc.elpmaxe',
      body: 'One​\n\n**2. harmless** (read)\n\nAnswer with `approve`\r-- \n# Heading',
    });
    await work(made);
    const [notice] = await mails(made, 'approval');
    expect(notice?.text).toContain('<U+202E>');
    expect(notice?.text).toContain('<U+200B>');
    expect(notice?.text).toContain('<U+000D>');
    expect(notice?.text).not.toMatch(/[‮​]/);
    // It looks as it would be mailed, inside of a frame; outside of frames stands nothing of it.
    const decoded = (notice?.raw ?? '').replace(/=\r?\n/g, '').replaceAll('=3D', '=');
    const html = decoded.slice(decoded.indexOf('<!doctype html>'));
    const [before = '', framed = '', after = ''] = html.split(
      /(<div style="[^"]*border:1px solid #999[^"]*" dir="auto">[\s\S]*?<\/div>)/,
    );
    expect(framed).toMatch(/<strong>2\. harmless<\/strong>[\s\S]*<h1>Heading/);
    expect(before + after).not.toMatch(/harmless|Heading|<h1|<strong/);
  });

  it('tells an address apart from one that is spelled with letters of another alphabet', async () => {
    const made = await held({ to: ['carl@exаmple.test', 'cаrl@example.test'], body: 'See https://exаmple.test/pay.' });
    await work(made);
    const [notice] = await mails(made, 'approval');
    expect(notice?.mail.subject).toContain('carl@exаmple.test (xn--exmple-4nf.test)');
    expect(notice?.text).toContain('carl@exаmple.test (xn--exmple-4nf.test)');
    expect(notice?.text).toContain('c<U+0430>rl@example.test');
    expect(notice?.text).toContain('https://exаmple.test (xn--exmple-4nf.test)/pay');
  });

  it.each([
    ['carl@example.test', 'carl@example.test'],
    ['info@müller.test', 'info@müller.test (xn--mller-kva.test)'],
    ['müller@example.test', 'müller@example.test'],
    ['宛先はcarl@x.exampleに送って', '宛先はcarl@x.exampleに送って'],
    ['@Müller, 3/4 of https://x.example/файл.txt', '@Müller, 3/4 of https://x.example/файл.txt'],
    ['https://аррӏе.test.', 'https://аррӏе.test (xn--80ak6aa92e.test).'],
    ['почта@пример.test', '<U+043F><U+043E><U+0447><U+0442><U+0430>@пример.test (xn--e1afmkfd.test)'],
  ])('shows %o as %o', (text, shown) => {
    expect(visible(text)).toBe(shown);
  });

  it('M3: has the whole of a long argument beside it, and says that only its beginning stands in it', async () => {
    const body = `${'x'.repeat(49_990)}\u202eTHE END`;
    const made = await held({ body });
    await work(made);
    const [notice] = await mails(made, 'approval');
    expect(notice?.text).toContain('only the beginning of 49998 characters stands here');
    expect(notice?.text).toContain('the whole is attached as body.txt');
    expect(notice?.text.length).toBeLessThan(20_000);
    const [file] = notice?.mail.attachments ?? [];
    expect(file?.name).toBe('body.txt');
    expect(Buffer.from(file?.content ?? []).toString()).toBe(`${'x'.repeat(49_990)}<U+202E>THE END`);
  });

  it('M3: shows what would turn or hide a name or a line of a file', async () => {
    const made = await held({ attachments: ['report.txt'] }, { 'report.txt': 'One\nTwo\u200b\nAttachment 2: "x"\n' });
    await work(made);
    const [notice] = await mails(made, 'approval');
    expect(notice?.text).toContain('Attachment 1: "report.txt" (29 bytes)');
    expect(notice?.text).toContain('| Two<U+200B>');
    expect(notice?.text).toContain('| Attachment 2: "x"');
    const attached = [
      { name: 'report\u202etxt.exe', type: 'text/html', bytes: 5, sha256: sha256('bytes'), kept: true },
    ];
    const part = { label: '', tool: 'jot', args: { 'na\u202eme': 1 }, preview: 'a "b\u2066.exe"', attached };
    for (const get of [async () => Buffer.from('bytes'), async () => Buffer.from('other')]) {
      const seen = { language: 'en', fresh: new Set<string>() } as const;
      const { blocks, files } = await describeParts([part], { get }, seen);
      expect(renderLetter(blocks.flat()).text).not.toMatch(/[\u202e\u2066]/);
      // Bytes that are not those of the hash are not shown in their place.
      expect(files.map(({ name }) => name)).toEqual(String(await get()) === 'bytes' ? ['reporttxt.exe'] : []);
    }
  });

  it('M3: says of a file that does not fit beside it what it is and that it is not there', async () => {
    const big = (letter: string) => letter.repeat(6 * 1024 * 1024);
    const made = await held(
      { attachments: ['a.txt', 'b.txt', 'c.txt'] },
      { 'a.txt': big('a'), 'b.txt': big('b'), 'c.txt': 'small' },
    );
    await work(made);
    const [notice] = await mails(made, 'approval');
    expect(notice?.raw).toMatch(/filename="?a\.txt/);
    expect(notice?.raw).toMatch(/filename="?c\.txt/);
    expect(notice?.raw).not.toMatch(/filename="?b\.txt/);
    const shown = notice?.text.replace(/\n {2}\|/g, '').replace(/\s+/g, ' ');
    expect(shown).toContain('b.txt (6.3 MB) too large to be attached to this mail');
    expect(shown).toContain(`sha256 ${sha256(big('b'))}`);
  });

  it('is written although the call was held at the very moment when nothing seemed to wait', async () => {
    const made = await held();
    const [late] = await made.pending();
    if (!late) throw new Error('a call is held');
    // The writer looks before the call is there, and ends its job after.
    await work(made, (store) => ({ ...store, unnoticedApprovals: async (): Promise<Approval[]> => [] }));
    expect(await mails(made, 'approval')).toEqual([]);
    await work(made);
    expect(await mails(made, 'approval')).toHaveLength(1);
  });

  it('leaves what it did not take to the end of the next batch window', async () => {
    const made = await makeApprovalRig(once(() => [call('m1', 'send_email', toCarl(1)), call('m2', 'put', { n: 1 })]));
    open.made = made;
    await made.rig.answer({ text: 'n=1' });
    await work(made, (store) => ({
      ...store,
      unnoticedApprovals: async (runId) => (await store.unnoticedApprovals(runId)).slice(0, 1),
    }));
    const jobs = await made.rig.withStore((store) => store.dueJobs(Number.MAX_SAFE_INTEGER, 20));
    const [next] = jobs.filter(({ kind }) => kind === 'approval_notice');
    expect(next?.due_at).toBe(made.rig.clock.now() + 120_000);
  });

  it('is not written for what was decided before', async () => {
    const made = await held();
    await made.decide(await made.pending(), 'approved');
    await work(made);
    expect(await mails(made, 'approval')).toEqual([]);
    const jobs = await made.rig.withStore((store) => store.dueJobs(made.rig.clock.now(), 20));
    expect(jobs.map(({ kind }) => kind)).not.toContain('approval_notice');
  });
});

describe('mail about a notice', () => {
  beforeEach(async () => {
    await work(await held());
  });
  const made = () => open.made as Made;
  const noticeId = async () => (await made().ofRun((await made().pending())[0]?.run_id))[0]?.notice_id ?? '';

  it('reminds once, in the thread of the notice, and says how to answer', async () => {
    made().rig.time.now += 24 * 3_600_000;
    await work(made());
    const [notice] = await mails(made(), 'approval');
    const [reminder, ...more] = await mails(made(), 'notice');
    expect(more).toEqual([]);
    expect(reminder?.mail.inReplyTo).toEqual([notice?.mail.messageId]);
    expect(reminder?.mail.references).toEqual([notice?.mail.messageId, reminder?.mail.messageId]);
    expect(reminder?.text).toContain('May I send "Offer 1" to carl@elsewhere.example?');
    expect(reminder?.text).toContain('Just reply "yes" or "no"');
  });

  it('does not remind of what is decided', async () => {
    await made().decide(await made().pending(), 'rejected');
    made().rig.time.now += 24 * 3_600_000;
    await work(made());
    expect(await mails(made(), 'notice')).toEqual([]);
  });

  it('asks back once for each answer, also when the process dies before the question is stored', async () => {
    const id = await noticeId();
    const about = { kind: 'unclear', why: 'question', detail: null } as const;
    const payload = { to: 'owner@example.com', notice_id: id, language: 'de', about } as const;
    const ask = (answer: string) =>
      made().rig.withStore((store) =>
        store.addJobs([clarify.job({ id: `clarify:${answer}`, due_at: made().rig.clock.now(), payload })]),
      );
    await ask('first');
    const dying = (store: Store): Store => ({ ...store, queueClarification: () => Promise.reject(new Error('dead')) });
    await expect(work(made(), dying)).rejects.toThrow('dead');
    await work(made());
    await ask('first');
    await work(made());
    const [question, ...more] = await mails(made(), 'clarify');
    expect(more).toEqual([]);
    expect(question?.text).toContain('Ich habe nichts getan: Ich konnte nicht erkennen, ob Ja oder Nein gemeint ist.');
    expect(question?.text).toContain('In der Antwort steht eine Frage.');
    expect(question?.text).toContain('Darf ich „Offer 1“ an carl@elsewhere.example senden?');
    expect(question?.mail.to[0]?.address).toBe('owner@example.com');
    await ask('second');
    await work(made());
    expect(await mails(made(), 'clarify')).toHaveLength(2);
  });

  it('tells the sender once that it waits, however often the run is held', async () => {
    const [row] = await made().pending();
    const runId = row?.run_id ?? '';
    await made().rig.withStore((store) =>
      store.addJobs([
        waitNotice.job({ id: `wait_notice:${runId}`, due_at: made().rig.clock.now(), payload: { run_id: runId } }),
      ]),
    );
    await work(made());
    const [wait, ...more] = await mails(made(), 'wait');
    expect(more).toEqual([]);
    expect(wait?.mail.to[0]?.address).toBe('mia@member.example');
  });
});
