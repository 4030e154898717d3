import { afterEach, describe, expect, it, vi } from 'vitest';
import { startSmtpPeer } from '../../fakes/smtp-peer.ts';
import { OWNER } from '../governance-rig.ts';
import { ANSWER, authorOf, idOf, MAILS, NUMBERS, openWaiting, SOON } from './rig.ts';

const opened: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((close) => close()));
});

describe('fifty answers that no server takes', () => {
  it('are given up, owners hear of it in one mail, and `outbox retry` sends each once: delivery.give_up_hours', async () => {
    const peer = await startSmtpPeer({ rcpt: { [OWNER]: '250 2.1.5 yes', '*': '451 4.3.0 later' } });
    opened.push(peer.stop);
    const smtp = { host: '127.0.0.1', port: peer.port, tls: 'none', user: 'out', auth: 'none', secret_env: 'UNUSED' };
    const rig = await openWaiting({
      files: {
        'configs/gateway.json': {
          smtp_listener: { port: 0 },
          mailboxes: [{ id: 'out', smtp }],
          delivery: { first_retry_s: 0.2, max_retry_s: 0.5, give_up_hours: 0.0005 },
        },
      },
    });
    opened.push(rig.close);
    const { office } = rig;
    for (const number of NUMBERS) await rig.mail(number, { from: authorOf(number) });
    const failed = async () => (await office.cli('outbox', 'list', '--status', 'failed', '--limit', '200')).json.outbox;
    await vi.waitFor(async () => expect(await failed()).toHaveLength(MAILS), SOON);
    const told = () => peer.mails.filter(({ to }) => to.includes(OWNER));
    await vi.waitFor(() => expect(told()).toHaveLength(1), SOON);
    expect(peer.mails).toHaveLength(1);
    peer.script.rcpt = {};
    expect((await office.cli('outbox', 'retry', '--failed')).code).toBe(0);
    const answers = () => peer.mails.filter(({ to }) => !to.includes(OWNER));
    await vi.waitFor(() => expect(answers()).toHaveLength(MAILS), SOON);
    for (const { raw } of answers()) expect(raw).toContain(ANSWER);
    const answered = answers().map(({ raw }) => /^in-reply-to: (<[^>]+>)/im.exec(raw)?.[1]);
    expect(answered.toSorted()).toEqual(NUMBERS.map(idOf).toSorted());
    expect(await failed()).toEqual([]);
  });
});
