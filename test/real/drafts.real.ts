import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MailServers, startMailServers } from '../lab/mail-servers.ts';
import {
  DOMAIN,
  mailboxOf,
  mailboxWhen,
  makeSite,
  minutesLater,
  OWNER,
  outboxWhen,
  PASSWORD,
  type Site,
  STAMP,
  send,
} from '../lab/site.ts';

const USERS = Array.from({ length: 6 }, (_unused, at) => `agents${at}`);

let lab: MailServers;
let nextUser = 0;
const sites: Site[] = [];

beforeAll(async () => {
  lab = await startMailServers({
    users: Object.fromEntries([...USERS, 'you', 'boss'].map((user) => [user, PASSWORD])),
    domain: DOMAIN,
    stamp: STAMP,
  });
});
afterAll(async () => {
  for (const site of sites) await site.close();
  await lab.stop();
});

/** A persona whose answers lie in Drafts of a mailbox of its own. */
async function draftingSite() {
  const user = USERS[nextUser++] ?? '';
  const address = `${user}@${DOMAIN}`;
  await lab.makeFolder(user, 'Drafts');
  const site = makeSite(lab, {
    mailboxes: [mailboxOf(lab, user)],
    personas: { ada: { address, reply: { mode: 'draft' } } },
  });
  sites.push(site);
  return { site, user, address };
}

const headerOf = (raw: Buffer, name: string): string =>
  new RegExp(`^${name}: ((?:.*\\r\\n[ \\t])*.*)\\r$`, 'mi').exec(raw.toString('latin1'))?.[1] ?? '';

/** What lies in Drafts as an answer to that mail, as a mail program shows it. */
async function draftOf(user: string, answered: string) {
  const found = (await lab.read(user, 'Drafts')).filter(({ raw }) => headerOf(raw, 'In-Reply-To') === answered);
  expect(found).toHaveLength(1);
  return found[0] as (typeof found)[number];
}

/** As a mail program sends a draft: the copy in Sent, the draft removed. */
async function sendDraft(user: string, answered: string, change: (raw: string) => string = (raw) => raw) {
  const { raw, uid } = await draftOf(user, answered);
  await lab.file(user, 'Sent', Buffer.from(change(raw.toString('latin1')), 'latin1'));
  await lab.expunge(user, uid, 'Drafts');
}

const withNewId = (id: string) => (raw: string) => raw.replace(/^Message-ID: .*\r$/m, `Message-ID: ${id}\r`);

/** As mail programs save one that was changed: another message, by nothing known but by what it answers. */
const rewritten = (text: string, id: string) => (raw: string) => {
  const head = ['From', 'To', 'Subject', 'In-Reply-To', 'References', 'Date']
    .map((name) => `${name}: ${headerOf(Buffer.from(raw, 'latin1'), name)}`)
    .join('\r\n');
  return `${head}\r\nMessage-ID: ${id}\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n${text}\r\n`;
};

const threadOf = async (site: Site, answered: string) => {
  const [entry] = await site.why(answered);
  const { json } = await site.command('threads', 'show', entry.thread_id, '--json');
  // biome-ignore lint/suspicious/noExplicitAny: the documents have many shapes; tests assert on what they need.
  return json.thread.messages as any[];
};

describe('an answer that is put into Drafts', () => {
  it('lies there until a person sends it, changed or not, or deletes it', async () => {
    const { site, user, address } = await draftingSite();
    const gateway = await site.start();
    const [asIs, changed, resaved, deleted, left] = await Promise.all(
      ['as-is', 'changed', 'resaved', 'deleted', 'left'].map((id) =>
        send(lab, { id, to: address, headers: [`References: <before-${id}@lab.test>`] }),
      ),
    );
    const all = [asIs, changed, resaved, deleted, left] as [string, string, string, string, string];
    for (const id of all) await outboxWhen(site, id, 'draft');

    const { raw, flags } = await draftOf(user, all[0]);
    expect(flags).toEqual(expect.arrayContaining(['\\Draft', '\\Seen']));
    expect(headerOf(raw, 'To')).toBe(`you@${DOMAIN}`);
    expect(headerOf(raw, 'From')).toContain(address);
    // Its own name stands last, for answers that come by a relay.
    const references = headerOf(raw, 'References').split(/\s+/);
    expect(references).toEqual(['<before-as-is@lab.test>', all[0], headerOf(raw, 'Message-ID')]);
    expect(headerOf(raw, 'Auto-Submitted')).toBe('');
    expect(await lab.mailbox('you')).toEqual([]);
    // The thread has only what was received.
    expect((await threadOf(site, all[0])).map(({ direction }) => direction)).toEqual(['in']);
    expect((await site.command('status', '--json')).json.outbox).toMatchObject({ drafts: 5, failed: 0 });
    const [tested] = (await site.command('mailbox', 'test', '--json')).json.mailboxes;
    expect(tested.imap).toMatchObject({ ok: true, message: expect.stringMatching(/, drafts in Drafts$/) });
    expect((await site.why(all[0]))[0].replies).toMatchObject([
      { state: 'draft', to: [{ smtp: /in Drafts of main/ }] },
    ]);
    const owners = await mailboxWhen(lab, 'boss', (mails) => mails.length > 0);
    expect(owners.every(({ messageId }) => messageId !== headerOf(raw, 'Message-ID'))).toBe(true);
    const notice = (await lab.read('boss')).map((mail) => mail.raw.toString('latin1').replaceAll('=\r\n', '')).join('');
    expect(notice).toContain(`To: ${OWNER}`);
    expect(notice).toMatch(/lies in the folder Drafts of the mailbox main/);

    await sendDraft(user, all[0]);
    await sendDraft(user, all[1], rewritten('I would rather come on Friday.', '<program-1@lab.test>'));
    // Saved anew, and sent later.
    const before = await draftOf(user, all[2]);
    await lab.file(
      user,
      'Drafts',
      Buffer.from(withNewId('<program-2@lab.test>')(before.raw.toString('latin1')), 'latin1'),
    );
    await lab.expunge(user, before.uid, 'Drafts');
    await lab.expunge(user, (await draftOf(user, all[3])).uid, 'Drafts');
    await gateway.stop();

    const later = await site.start(minutesLater(3));
    await outboxWhen(site, all[0], 'sent');
    await outboxWhen(site, all[1], 'sent');
    const [, same] = await threadOf(site, all[0]);
    expect(same).toMatchObject({ direction: 'out', message_id: headerOf(raw, 'Message-ID'), to: [`you@${DOMAIN}`] });
    const [, other] = await threadOf(site, all[1]);
    expect(other).toMatchObject({ message_id: '<program-1@lab.test>', text: 'I would rather come on Friday.' });
    expect((await site.why('<program-1@lab.test>')).map(({ decision }) => decision)).toContain('sent');
    await outboxWhen(site, all[2], 'draft');
    await outboxWhen(site, all[3], 'draft');
    await later.stop();

    await sendDraft(user, all[2]);
    const last = await site.start(minutesLater(9));
    await outboxWhen(site, all[2], 'sent');
    await outboxWhen(site, all[3], 'deleted');
    await outboxWhen(site, all[4], 'draft');
    expect(await threadOf(site, all[3])).toHaveLength(1);
    expect((await site.why('<program-2@lab.test>')).map(({ decision }) => decision)).toContain('sent');
    // A later mail of the thread is told that nobody has got that answer.
    const again = await send(lab, { id: 'again', to: address, headers: [`In-Reply-To: ${all[4]}`] });
    await outboxWhen(site, again, 'draft');
    const [{ run }] = await site.why(again);
    const prompt = JSON.stringify((await site.command('runs', 'show', run.id, '--prompt', '--json')).json);
    expect(prompt).toContain("lies in the owner's Drafts; nobody has got it");
    // Nothing of it was ever sent by us.
    expect(await lab.mailbox('you')).toEqual([]);
    await last.stop();
  });
});

describe('a gateway that dies while it puts an answer into Drafts', () => {
  it.concurrent.each(['run.finished', 'outbox.handed_over', 'outbox.recorded'])(
    'at %s leaves one draft when it is back',
    async (point) => {
      const { site, user, address } = await draftingSite();
      const dying = site.launch({ EPISTLE_CRASH_AT: point });
      await dying.ready;
      const id = await send(lab, { id: `died-at-${point}`, to: address });
      await dying.exited;
      expect(await lab.mailbox(user, 'Drafts')).toHaveLength(point === 'run.finished' ? 0 : 1);
      await site.start();
      await outboxWhen(site, id, 'draft');
      await draftOf(user, id);
    },
  );

  it.concurrent('before the server had it puts it there once it is certain that it did not', async () => {
    const { site, user, address } = await draftingSite();
    const dying = site.launch({ EPISTLE_CRASH_AT: 'outbox.claimed' });
    await dying.ready;
    const id = await send(lab, { id: 'died-at-claim', to: address });
    await dying.exited;
    const again = await site.start();
    await outboxWhen(site, id, 'unknown');
    expect(await lab.mailbox(user, 'Drafts')).toEqual([]);
    await again.stop();
    await site.start(minutesLater(3));
    await outboxWhen(site, id, 'draft');
    await draftOf(user, id);
  });

  it.concurrent('after its end was noticed notes it once', async () => {
    const { site, user, address } = await draftingSite();
    const first = await site.start();
    const id = await send(lab, { id: 'died-at-end', to: address });
    await outboxWhen(site, id, 'draft');
    await sendDraft(user, id);
    await first.stop();
    const dying = site.launch({ EPISTLE_CRASH_AT: 'draft.ended', ...minutesLater(3) });
    await dying.exited;
    await site.start(minutesLater(6));
    await outboxWhen(site, id, 'sent');
    expect(await threadOf(site, id)).toHaveLength(2);
  });
});
