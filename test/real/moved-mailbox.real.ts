import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Program } from '../flow/gateway.ts';
import { type MailServers, startMailServers } from '../lab/mail-servers.ts';
import { DOMAIN, mailboxOf, makeSite, PASSWORD, type Site, STAMP, send, untilAnswered } from '../lab/site.ts';

const ADA = `agents@${DOMAIN}`;
const OLD = 2000;

/** Mail of years ago from somebody who may write to the persona. */
const old = (at: number): string =>
  [
    STAMP,
    `Received: from out.test by mx.${DOMAIN}; Fri, 03 Jan 2025 10:00:00 +0000`,
    `Message-ID: <old${at}@${DOMAIN}>`,
    'Date: Fri, 03 Jan 2025 09:59:00 +0000',
    `From: you@${DOMAIN}`,
    `To: ${ADA}`,
    `Subject: Old ${at}`,
    '',
    'Please answer.',
    '',
  ].join('\r\n');

let lab: MailServers;
let site: Site;
let gateway: Program;

beforeAll(async () => {
  lab = await startMailServers({
    users: Object.fromEntries(['agents', 'you', 'boss'].map((user) => [user, PASSWORD])),
    domain: DOMAIN,
    stamp: STAMP,
  });
  // Dovecot makes the folder with the first mail.
  await send(lab, { id: 'before', to: ADA });
  await vi.waitFor(async () => expect(await lab.mailbox('agents')).toHaveLength(1), 30_000);
  await lab.putArchive(
    'agents',
    Array.from({ length: OLD }, (_, at) => old(at)),
  );
  expect(await lab.mailbox('agents')).toHaveLength(OLD + 1);
  site = makeSite(lab, { mailboxes: [mailboxOf(lab, 'agents')], personas: { ada: { address: ADA } } });
  gateway = await site.start();
});
afterAll(async () => {
  await site?.close();
  await lab?.stop();
});

const connectionsMade = () => gateway.log().split('"mailbox":"main","state":"connected"').length - 1;

describe('a mailbox with an archive', () => {
  it('is connected for the first time: what lies there is left alone, what comes is answered', async () => {
    await untilAnswered(lab, [await send(lab, { id: 'first', to: ADA })]);
    expect(site.runs()).toHaveLength(1);
  });

  it('is moved to a server that numbers and dates it anew: none of it is answered, and nobody is asked', async () => {
    const before = connectionsMade();
    await lab.changeUidValidity('agents');
    await expect.poll(connectionsMade, { timeout: 60_000 }).toBeGreaterThan(before);
    await untilAnswered(lab, [await send(lab, { id: 'since', to: ADA })]);
    expect(site.runs()).toHaveLength(2);
    const listed = await site.command('mail', 'list', '--refused', '--limit', '5000', '--json');
    const left = listed.json.mails.filter(({ code }: { code: string }) => code === 'before_first_connect');
    expect(new Set(left.map(({ message_id: id }: { message_id: string }) => id)).size).toBe(OLD + 1);
    expect(await lab.mailbox('boss')).toEqual([]);
  });

  it('has an old mail that somebody moves into the folder later answered', async () => {
    // As the servers handed it over, on a day of long ago.
    const [{ raw } = { raw: Buffer.alloc(0) }] = await lab.read('agents');
    const aged = Buffer.from(raw)
      .toString('latin1')
      .replaceAll(
        /[A-Z][a-z]{2}, \d{1,2} [A-Z][a-z]{2} \d{4} [\d:]{8} (?:GMT|[+-]\d{4})/g,
        'Fri, 03 Jan 2025 10:00:00 +0000',
      )
      .replace('<before@', '<old@');
    await lab.putArchive('agents', [aged]);
    await untilAnswered(lab, [`<old@${DOMAIN}>`]);
    expect(site.runs()).toHaveLength(3);
  });
});
