import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MailServers, startMailServers } from '../lab/mail-servers.ts';
import {
  DOMAIN,
  mailboxOf,
  mailboxWhen,
  makeSite,
  minutesLater,
  PASSWORD,
  type Site,
  STAMP,
  send,
  untilAnswered,
} from '../lab/site.ts';

let lab: MailServers;
let site: Site;

beforeAll(async () => {
  lab = await startMailServers({
    users: { agents: PASSWORD, you: PASSWORD, boss: PASSWORD },
    domain: DOMAIN,
    aliases: {},
    stamp: STAMP,
  });
  site = makeSite(lab, {
    mailboxes: [mailboxOf(lab, 'agents')],
    personas: { ada: { name: 'Ada', address: `agents@${DOMAIN}` } },
  });
});
afterAll(async () => {
  await site.close();
  await lab.stop();
});

describe('a gateway that is killed between the end of a delivery and its copy in Sent', () => {
  it('files that copy when it is back, once', async () => {
    const dying = site.launch({ EPISTLE_CRASH_AT: 'outbox.recorded' });
    await dying.ready;
    const id = await send(lab, { id: 'owed', to: `agents@${DOMAIN}` });
    const [answer] = (await untilAnswered(lab, [id])).get(id) ?? [];
    expect(await dying.exited).toBeNull();
    expect(site.outbox()).toMatchObject([{ message_id: answer, state: 'sent' }]);
    expect(await lab.mailbox('agents', 'Sent')).toEqual([]);

    const gateway = await site.start(minutesLater(3));
    const has = ({ messageId }: { messageId: string }) => messageId === answer;
    await mailboxWhen(lab, 'agents', (mails) => mails.some(has), { folder: 'Sent' });
    await gateway.kill();
    await site.start(minutesLater(9));
    const other = await send(lab, { id: 'later', to: `agents@${DOMAIN}` });
    await untilAnswered(lab, [other]);
    const copies = await mailboxWhen(lab, 'agents', (mails) => mails.length >= 2, { folder: 'Sent' });
    expect(copies.filter(has)).toHaveLength(1);
  });
});
