import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HeardRequest, Turn } from '../../fakes/model-script.ts';
import { launchGateway, submit } from '../gateway.ts';
import { MEMBER, OWNER, type Sent } from '../governance-rig.ts';
import { openSchool, playbook, type School } from '../learning-rig.ts';

const open: { school?: School; notice?: Sent } = {};
const school = (): School => {
  if (!open.school) throw new Error('not open');
  return open.school;
};

const TO = 'refined@agents.localhost';
const BOB = 'bob@member.example';
const STRANGER = 'eve@evil.example';
const PATIENCE = { timeout: 90_000 };
const STEP = { tool: 'write_file', arguments: { path: '{{mail.word_after Keep it as}}', content: 'as ever' } };

function answer({ view }: HeardRequest): Turn {
  if (view.model === 'writer')
    return { text: view.system.startsWith('You write') ? JSON.stringify(playbook(1, { steps: [STEP] })) : 'Nothing.' };
  const [, name] = /Keep it as (\S+)/.exec(view.lastUser) ?? [];
  if (view.results.length > 0 || name === undefined) return { text: 'Done.' };
  return { calls: [{ name: 'write_file', arguments: { path: name, content: 'as ever' } }] };
}

const rows = (what: string) => school().rows<Record<string, unknown>>('refined', `select * from ${what}`);
const told = () => rows("outbox where kind = 'notice'").length;

/** One mail, and all that is learned of it. */
async function mailed(name: string, from: string) {
  const mail = await school().mail('refined', `Keep it as ${name}`, { from, subject: `About ${name}` });
  await school().settled('refined');
  return mail;
}

beforeAll(async () => {
  open.school = await openSchool(answer);
  for (const [index, name] of ['one.txt', 'two.txt', 'three.txt', 'four.txt', 'five.txt'].entries())
    await mailed(name, index % 2 === 0 ? MEMBER : BOB);
  open.notice = await school().arrival('notice', OWNER);
});
afterAll(() => open.school?.close());

const notice = (): Sent => {
  if (!open.notice) throw new Error('there is no notice');
  return open.notice;
};
const token = (): string => notice().mail.replyTo?.value[0]?.address ?? '';
const answering = (from: string, id: string, more: readonly string[] = []): string =>
  [
    ...[`From: ${from}`, `To: ${token()}`, `Subject: Re: ${notice().mail.subject}`, `Message-ID: <${id}@example.com>`],
    ...[`In-Reply-To: ${notice().mail.messageId}`, `References: ${notice().mail.messageId}`, ...more],
    ...['Date: Mon, 23 Nov 2026 10:00:00 +0000', '', 'undo', ''],
  ].join('\r\n');

/** A mail by a server that proves nothing of it. */
async function delivered(name: string, raw: string, to: string, from: string) {
  school().workspace.write(`${name}.eml`, raw);
  const { json } = await school().cli('deliver', join(school().root, `${name}.eml`), '--to', to, '--from', from);
  return json.results[0];
}

describe('what members have taught', () => {
  it('is done for members, and never in the name of an owner', async () => {
    const ofMember = await mailed('six.txt', MEMBER);
    expect(school().events('refined', ofMember.result.run_id, 'playbook_step')).toHaveLength(1);
    const ofOwner = await mailed('seven.txt', OWNER);
    expect(school().events('refined', ofOwner.result.run_id, 'playbook_selected')).toMatchObject([
      { version: 2, mode: 'none', stopped: true },
    ]);
    expect(school().events('refined', ofOwner.result.run_id, 'playbook_step')).toEqual([]);
    // The model has made the call.
    expect(ofOwner.requests.filter(({ view }) => view.model === 'm')).toHaveLength(2);
  });
});

describe('an answer that says undo', () => {
  it('changes nothing unless a proven owner gives it to the mail that told of the change', async () => {
    const before = { notices: told(), runs: rows('runs').length };
    for (const [id, from] of Object.entries({ 'by-member': MEMBER, 'by-stranger': STRANGER })) {
      await school().post({ to: token(), from, raw: answering(from, id) });
      expect(await school().codeOf(`<${id}@example.com>`)).toBe('approval_not_authorised');
    }
    const forged = await delivered('forged', answering(OWNER, 'forged'), token(), OWNER);
    expect(forged.decision).not.toBe('accepted');
    await school().post({ to: token(), raw: answering(OWNER, 'away', ['Auto-Submitted: auto-replied']) });
    expect(await school().codeOf('<away@example.com>')).toBe('auto_submitted');
    expect(rows('runs')).toHaveLength(before.runs);
    // In another thread it is a mail like any other.
    const elsewhere = await school().mail('refined', 'undo', { from: OWNER, subject: 'Something else' });
    expect(elsewhere.result.outcome).toBe('final');
    expect([rows('playbook_pins'), told()]).toEqual([[], before.notices]);
    expect(rows('undo_items')).toMatchObject([{ state: 'open' }]);
    expect(rows("audit_log where event = 'undo_requested'")).toEqual([]);
  });

  it.each(['undo.made', 'undo.settled'])('killed at %s takes the change back once, and says so once', async (label) => {
    school().rows('refined', 'delete from playbook_pins returning kind');
    school().rows('refined', "update undo_items set state = 'open' returning id");
    const before = told();
    await school().stop();
    const dying = launchGateway(school().root, { NODE_ENV: 'test', EPISTLE_CRASH_AT: label });
    const { ready } = await dying.ready;
    const mail = { from: OWNER, to: token(), raw: answering(OWNER, label) };
    // The line may break with the process.
    await submit(school().root, ready, mail).catch(() => {});
    await dying.death();
    // What is on record says the same as what holds.
    const isUndone = label === 'undo.settled';
    expect(rows('undo_items')).toMatchObject([{ state: isUndone ? 'undone' : 'open' }]);
    expect(rows('playbook_pins')).toHaveLength(isUndone ? 1 : 0);
    await school().restart();
    await expect.poll(() => rows("jobs where kind = 'undo'"), PATIENCE).toEqual([]);
    await expect.poll(told, PATIENCE).toBe(before + 1);
    expect(rows('undo_items')).toMatchObject([{ state: 'undone', decided_by: OWNER }]);
    const [first] = rows('playbook_versions order by number');
    expect(rows('playbook_pins')).toMatchObject([{ kind: 'answer', version_id: first?.id }]);
    expect(rows("audit_log where event = 'undo' and decision = 'undone'")).toHaveLength(isUndone ? 2 : 1);
  });
});

describe('a verdict', () => {
  it('counts from an owner and from whoever the answer was for, and from nobody else', async () => {
    const { result, messageId } = await mailed('judged.txt', MEMBER);
    const verdicts = () => rows('playbook_feedback');
    const judging = (from: string, id: string, word: string): string =>
      [
        ...[`From: ${from}`, `To: ${TO}`, 'Subject: Re: About judged.txt', `Message-ID: <${id}@example.com>`],
        ...[`In-Reply-To: ${messageId}`, `References: ${messageId}`],
        ...['Date: Mon, 23 Nov 2026 10:00:00 +0000', '', word, ''],
      ].join('\r\n');
    const post = async (from: string, id: string, word: string): Promise<void> => {
      await school().post({ to: TO, from, raw: judging(from, id, word) });
    };
    await post(BOB, 'of-bob', 'bad');
    await expect
      .poll(() => rows("runs where message_id = '<of-bob@example.com>'"), PATIENCE)
      .toMatchObject([{ status: 'done', outcome: 'final' }]);
    await post(STRANGER, 'of-eve', 'bad').catch(() => {});
    const forged = await delivered('forged-verdict', judging(MEMBER, 'of-nobody', '/bad'), TO, MEMBER);
    expect(forged.decision).not.toBe('accepted');
    await school().settled('refined');
    expect(verdicts()).toEqual([]);
    await post(MEMBER, 'of-mia', 'good');
    await expect.poll(verdicts, PATIENCE).toMatchObject([{ run_id: result.run_id, verdict: 'good', by: MEMBER }]);
    await post(OWNER, 'of-owner', 'bad');
    await expect.poll(verdicts, PATIENCE).toMatchObject([{ run_id: result.run_id, verdict: 'bad', by: OWNER }]);
  });
});
