import { afterEach, describe, expect, it } from 'vitest';
import { startFakeModel } from '../../fakes/model-server.ts';
import { OWNER } from '../governance-rig.ts';
import { onceRecorded } from '../record.ts';
import { STEADY } from '../workspace.ts';
import { ANSWER, openWaiting, type Waiting } from './rig.ts';

const opened: Waiting[] = [];
const open = async (...options: Parameters<typeof openWaiting>): Promise<Waiting> => {
  const rig = await openWaiting(...options);
  opened.push(rig);
  return rig;
};
afterEach(async () => {
  await Promise.all(opened.splice(0).map((rig) => rig.close()));
});

const recorded = ({ office }: Waiting, look: () => unknown) => onceRecorded(office.root, look);

describe('mail that comes while the model is dead', () => {
  it('waits, is answered once when it works again, and its senders and owners hear once that it is late', async () => {
    const rig = await open();
    const { office } = rig;
    rig.mood.failing = rig.DEAD;
    for (const number of [1, 2, 3]) await rig.mail(number);
    await rig.mail(4, { from: rig.senderOf(3) });
    await recorded(rig, async () => expect(await office.left('wait')).toHaveLength(3));
    const note = (await office.left('wait', rig.senderOf(3)))[0];
    expect(note?.mail.subject).toBe('Re: Question 3');
    expect(note?.mail.inReplyTo).toBe('<q-3@member.example>');
    expect(note?.mail.text).toContain('My answer will take a while: the AI service that I use is not working');
    const notice = await office.arrival('notice', OWNER);
    expect(notice.mail.subject).toContain('Ada has to wait: steady does not answer');
    expect(notice.mail.text).toContain('4 mails wait: m1@member.example: "Question 1"');

    const why = (await office.cli('why', '<q-3@member.example>')).json.entries[0];
    expect(why).toMatchObject({ decision: 'deferred', code: 'provider_unavailable' });
    expect(why.run).toMatchObject({ status: 'deferred', code: 'provider_unavailable' });
    const status = (await office.cli('status')).json;
    expect(status.queue.deferred).toBeGreaterThanOrEqual(3);
    expect(status.deferred).toMatchObject([{ persona: 'ada', code: 'provider_unavailable' }]);
    const asked = rig.model.requests.length;

    rig.mood.failing = null;
    await recorded(rig, async () => expect(await office.left('reply')).toHaveLength(4));
    expect(rig.model.requests.length - asked).toBeLessThan(10);
    const replies = await office.left('reply');
    expect(replies.map(({ mail }) => mail.inReplyTo).toSorted()).toEqual(
      [1, 2, 3, 4].map((number) => `<q-${number}@member.example>`),
    );
    for (const { mail } of replies) expect(mail.text).toContain(ANSWER);
    expect(await office.left('wait')).toHaveLength(3);
    expect(await office.left('notice')).toHaveLength(1);
    expect(rig.runs().every(({ status }) => status === 'done')).toBe(true);

    // Whoever was told of it hears, once, that it is over.
    await expect.poll(async () => (await office.left('notice')).length, { timeout: 150_000, interval: 2000 }).toBe(2);
    const over = (await office.left('notice', OWNER)).find(({ mail }) => mail.subject === 'Ada can work again');
    expect(over?.mail.text).toContain('The trouble with steady is over.');
    expect(await office.left('wait')).toHaveLength(3);
  }, 240_000);

  it('keeps what a run has done, and does it no second time', async () => {
    const rig = await open({
      says: (turn) =>
        turn === 0 ? { calls: [{ name: 'write_file', arguments: { path: 'n.txt', content: 'x' } }] } : { text: ANSWER },
      retry: { late_note_min: 60 },
    });
    const fail = { on: true };
    const { requests } = rig.model;
    // Alive for the first turn of the mail, dead for the second.
    Object.defineProperty(rig.mood, 'failing', {
      get: () => (fail.on && (requests.at(-1)?.view.turn ?? 0) > 0 ? rig.DEAD : null),
    });
    await rig.mail(1);
    await recorded(rig, () => expect(rig.events(rig.runs()[0]?.id ?? '').at(-1)?.type).toBe('deferred'));
    await rig.office.restart();
    fail.on = false;
    await rig.office.arrival('reply', rig.senderOf(1));
    const calls = rig.events(rig.runs()[0]?.id ?? '').filter(({ type }) => type === 'tool_call_intended');
    expect(calls).toHaveLength(1);
    const replayed = await rig.office.cli('runs', 'replay', rig.runs()[0]?.id ?? '');
    expect(replayed.json).toMatchObject({ ok: true });
  });

  it('goes on with the model that its owner names meanwhile, also where it had begun with the dead one', async () => {
    const second = await startFakeModel('openai', () => ({ text: 'The other model says so.' }));
    const retry = { late_note_min: 60, first_retry_s: 600, max_retry_s: 600 };
    const rig = await open({
      says: () => ({ calls: [{ name: 'write_file', arguments: { path: 'n.txt', content: 'x' } }] }),
      retry,
      files: {
        'extensions/providers/second/manifest.json': {
          ...STEADY['extensions/providers/steady/manifest.json'],
          name: 'second',
        },
      },
    });
    try {
      const { requests } = rig.model;
      Object.defineProperty(rig.mood, 'failing', {
        get: () => ((requests.at(-1)?.view.turn ?? 0) > 0 ? rig.DEAD : null),
      });
      await rig.mail(1);
      await recorded(rig, () => expect(rig.events(rig.runs()[0]?.id ?? '').at(-1)?.type).toBe('deferred'));
      await rig.mail(2);
      await recorded(rig, () => expect(rig.runs()[1]?.deferred_code).toBe('provider_unavailable'));
      const asked = requests.length;
      const listed = { steady: rig.model.baseUrl, second: second.baseUrl };
      const providers = Object.entries(listed).map(([name, base_url]) => ({ name, config: { base_url } }));
      rig.office.workspace.write('extensions/extensions.json', { providers });
      rig.office.workspace.write('configs/inference.json', { provider: 'second', model: 'm', retry });
      for (const number of [1, 2]) {
        expect((await rig.office.arrival('reply', rig.senderOf(number))).mail.text).toContain(
          'The other model says so.',
        );
      }
      expect(requests).toHaveLength(asked);
      const calls = rig.events(rig.runs()[0]?.id ?? '').filter(({ type }) => type === 'tool_call_intended');
      expect(calls).toHaveLength(1);
      const replayed = await rig.office.cli('runs', 'replay', rig.runs()[0]?.id ?? '');
      expect(replayed.json).toMatchObject({ ok: true });
    } finally {
      await second.stop();
    }
  });

  it('asks with one mail for all of them', async () => {
    const rig = await open({ retry: { late_note_min: 60, first_retry_s: 20, max_retry_s: 20 } });
    rig.mood.failing = rig.DEAD;
    await rig.mail(0);
    await recorded(rig, () => expect(rig.events(rig.runs()[0]?.id ?? '').at(-1)?.type).toBe('deferred'));
    const [before, began] = [rig.model.requests.length, performance.now()];
    for (let number = 1; number <= 20; number += 1) await rig.mail(number);
    await recorded(rig, () =>
      expect(rig.runs().filter((run) => run.deferred_code !== null).length).toBeGreaterThan(19),
    );
    // One of them every 20 seconds; each for itself would be twenty.
    const rounds = (performance.now() - began) / 20_000;
    expect(rig.model.requests.length - before).toBeLessThan(4 + rounds);
  });

  it('goes on by itself when its key is put right, and the owner is told which key it is', async () => {
    const rig = await open({
      key: 'right',
      files: { '.env': 'STEADY_API_KEY=wrong\n' },
      retry: { first_retry_s: 600, max_retry_s: 600, late_note_min: 60 },
    });
    await rig.mail(1);
    const notice = await rig.office.arrival('notice', OWNER);
    expect(notice.mail.subject).toContain('Ada cannot work: steady refused the key STEADY_API_KEY (401)');
    expect(notice.mail.text).toContain('1 mail waits: m1@member.example: "Question 1"');
    expect(notice.mail.text).toMatch(/Put a new key into .*\.env; the\s+mails are then answered by themselves/);
    rig.office.workspace.write('.env', 'STEADY_API_KEY=right\n');
    await rig.office.arrival('reply', rig.senderOf(1));
    expect(await rig.office.left('wait')).toEqual([]);
  });

  it('is given up after give_up_hours, with one word to its sender and one to its owner', async () => {
    const rig = await open({ retry: { give_up_hours: 0.002 } });
    rig.mood.failing = rig.DEAD;
    await rig.mail(1);
    const reply = await rig.office.arrival('reply', rig.senderOf(1));
    expect(reply.mail.text).toContain('I could not answer your mail: the model service did not work');
    const [run] = rig.runs();
    expect(run).toMatchObject({ status: 'failed', outcome: 'gave_up', code: 'provider_unavailable' });
    await recorded(rig, async () => {
      const subjects = (await rig.office.left('notice')).map(({ mail }) => mail.subject ?? '');
      expect(subjects.filter((subject) => subject.includes('No answer to'))).toHaveLength(1);
    });
    rig.mood.failing = null;
    expect((await rig.office.cli('runs', 'retry', run?.id ?? '')).code).toBe(0);
    expect((await rig.office.arrival('reply', rig.senderOf(1), 2)).mail.text).toContain(ANSWER);
  });
});

describe('an outage that people would be told of too late', () => {
  const later = (hours: number) => ({
    NODE_ENV: 'test',
    EPISTLE_TEST_NOW: new Date(Date.now() + hours * 3_600_000).toISOString(),
  });
  const parked = (rig: Waiting) =>
    recorded(rig, () => expect(rig.runs()[0]?.deferred_code).toBe('provider_unavailable'));

  it('and is over when the persona is resumed is told of to nobody', async () => {
    const rig = await open({ retry: { late_note_min: 15, first_retry_s: 600, max_retry_s: 600 } });
    rig.mood.failing = rig.DEAD;
    await rig.mail(1);
    await parked(rig);
    await rig.office.post({ subject: 'STOP' });
    await rig.office.arrival('notice', OWNER);
    rig.mood.failing = null;
    await rig.office.restart(later(1));
    await rig.office.post({ subject: 'RESUME' });
    await rig.office.arrival('reply', rig.senderOf(1));
    await rig.office.arrival('notice', OWNER, 2);
    await rig.office.restart(later(2));
    await rig.mail(2);
    await rig.office.arrival('reply', rig.senderOf(2));
    expect(await rig.office.left('wait')).toEqual([]);
    const subjects = (await rig.office.left('notice', OWNER)).map(({ mail }) => mail.subject);
    expect(subjects.toSorted()).toEqual(['[Ada] I am back', '[Ada] Stopped']);
  });

  it('and is over when the process begins again is told of to nobody', async () => {
    const rig = await open({ retry: { late_note_min: 15, first_retry_s: 600, max_retry_s: 600 } });
    rig.mood.failing = rig.DEAD;
    for (const number of [1, 2, 3, 4, 5, 6]) await rig.mail(number);
    await recorded(rig, () => expect(rig.runs().filter((run) => run.deferred_code !== null)).toHaveLength(6));
    rig.mood.failing = null;
    await rig.office.restart(later(1));
    await recorded(rig, async () => expect(await rig.office.left('reply')).toHaveLength(6));
    await rig.office.restart(later(2));
    await rig.mail(7);
    await rig.office.arrival('reply', rig.senderOf(7));
    expect(await rig.office.left('wait')).toEqual([]);
    expect(await rig.office.left('notice')).toEqual([]);
  });

  it('and lasts when the process begins again is told of once', async () => {
    const rig = await open({ retry: { late_note_min: 15, first_retry_s: 600, max_retry_s: 600 } });
    rig.mood.failing = rig.DEAD;
    await rig.mail(1);
    await parked(rig);
    await rig.office.restart(later(1));
    await rig.office.arrival('wait', rig.senderOf(1));
    await rig.office.arrival('notice', OWNER);
  });

  it('and is another one than the last is told of anew', async () => {
    const rig = await open();
    for (const number of [1, 2]) {
      rig.mood.failing = rig.DEAD;
      await rig.mail(number, { from: rig.senderOf(1) });
      await rig.office.arrival('wait', rig.senderOf(1), number);
      await rig.office.arrival('notice', OWNER, number);
      rig.mood.failing = null;
      await rig.office.arrival('reply', rig.senderOf(1), number);
    }
  });
});

describe('an owner who writes while the model is dead', () => {
  it('is told by the notice alone, which has the cause', async () => {
    const rig = await open();
    rig.mood.failing = rig.DEAD;
    await rig.mail(1, { from: OWNER });
    await rig.mail(2);
    await rig.office.arrival('wait', rig.senderOf(2));
    await rig.office.arrival('notice', OWNER);
    rig.mood.failing = null;
    await recorded(rig, async () => expect(await rig.office.left('reply')).toHaveLength(2));
    expect((await rig.office.left('wait')).map(({ envelopeTo }) => envelopeTo)).toEqual([rig.senderOf(2)]);
  });
});
