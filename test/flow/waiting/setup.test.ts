import { afterEach, describe, expect, it } from 'vitest';
import type { Turn } from '../../fakes/model-script.ts';
import { OWNER } from '../governance-rig.ts';
import { onceRecorded } from '../record.ts';
import { ANSWER, idOf, openWaiting, type Waiting } from './rig.ts';

const opened: Waiting[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((rig) => rig.close()));
});
const open = async (...options: Parameters<typeof openWaiting>): Promise<Waiting> => {
  const rig = await openWaiting(...options);
  opened.push(rig);
  return rig;
};
const recorded = ({ office }: Waiting, look: () => unknown) => onceRecorded(office.root, look);
const QUICK = { first_retry_s: 0.3, max_retry_s: 0.6, late_note_min: 60 };
const waitingAs = (rig: Waiting, code: string, count: number) =>
  recorded(rig, () => expect(rig.runs().map(({ deferred_code }) => deferred_code)).toEqual(Array(count).fill(code)));

describe('a model that its owner has to mend something for', () => {
  it('is not asked with a refused key again, however often mail waits for it, before another key stands there', async () => {
    const rig = await open({ key: 'right', files: { '.env': 'STEADY_API_KEY=wrong\n' }, retry: QUICK });
    await rig.mail(1);
    await rig.office.arrival('notice', OWNER);
    // Five times the wait after which it is tried anew.
    const id = rig.runs()[0]?.id ?? '';
    await recorded(rig, () =>
      expect(rig.events(id).filter(({ type }) => type === 'deferred').length).toBeGreaterThan(5),
    );
    expect(rig.model.refused()).toBe(1);
    // But for the moments in which it is tried.
    await recorded(rig, async () => {
      const { deferred } = (await rig.office.cli('status')).json;
      expect(deferred).toMatchObject([{ persona: 'ada', whose: 'setup', provider: 'steady' }]);
    });
    rig.office.workspace.write('.env', 'STEADY_API_KEY=right\n');
    expect((await rig.office.arrival('reply', rig.senderOf(1))).mail.text).toContain(ANSWER);
    expect(await rig.office.left('notice')).toHaveLength(1);
  });

  it('is asked with mail that can be worked, not with one behind an earlier mail of its thread', async () => {
    // Each with a run of its own.
    const files = { 'configs/system.json': { dispatch: { answer_together: false } } };
    const rig = await open({ retry: QUICK, files });
    rig.mood.failing = { status: 404, message: 'the model qwen3 was not found, try pulling it first' } as Turn;
    await rig.mail(1);
    await recorded(rig, () => expect(rig.runs()[0]?.deferred_code).toBe('provider_unavailable'));
    // It came before the third, and waits for its turn, whoever has asked last.
    await rig.mail(2, { from: rig.senderOf(1), inReplyTo: idOf(1) });
    await recorded(rig, () => expect(rig.runs()).toHaveLength(2));
    await rig.mail(3);
    // But for the moments in which one of them asks.
    await waitingAs(rig, 'provider_setup', 3);
    const { length } = rig.model.requests;
    await recorded(rig, () => expect(rig.model.requests.length).toBeGreaterThan(length + 5));
    expect(new Set(rig.model.requests.map(({ view }) => view.lastUser.match(/What is (\d)/)?.[1]))).toEqual(
      new Set(['1', '3']),
    );
    rig.mood.failing = null;
    await recorded(rig, async () => expect(await rig.office.left('reply')).toHaveLength(3));
    await recorded(rig, () => expect(rig.runs().map(({ status }) => status)).toEqual(['done', 'done', 'done']));
  }, 300_000);

  it('has all its mail wait where a second mail meets the same, with the vendor’s own words for the owner', async () => {
    const rig = await open({ retry: { first_retry_s: 600, max_retry_s: 600, late_note_min: 60 } });
    rig.mood.failing = { status: 404, message: 'the model qwen3 was not found, try pulling it first' } as Turn;
    await rig.mail(1);
    await waitingAs(rig, 'provider_unavailable', 1);
    await rig.mail(2);
    await recorded(rig, () => expect(rig.runs()[1]?.deferred_code).toBe('provider_setup'));
    const notice = await rig.office.arrival('notice', OWNER);
    expect(notice.mail.subject).toContain('Ada cannot work with steady as it is set up');
    expect(notice.mail.subject).toContain('try pulling it first');
    expect(notice.mail.text).toContain('the mails are then answered by themselves');
    const { healthy, unhealthy } = (await rig.office.cli('status')).json;
    expect(healthy).toBe(false);
    expect(unhealthy.join()).toContain('mail of ada waits for its owner: steady answered 404');
    const { checks } = (await rig.office.cli('doctor')).json;
    expect(checks).toContainEqual(
      expect.objectContaining({
        name: 'waiting:ada',
        ok: false,
        message: '1 mail waits for its owner: steady answered 404: the model qwen3 was not found, try pulling it first',
        cure: expect.stringContaining('epistle config set persona/ada inference.model'),
      }),
    );
    await rig.mail(3);
    await recorded(rig, () => expect(rig.runs()[2]?.deferred_code).toBe('provider_setup'));
    rig.mood.failing = null;
    // Any change of the settings lets all of it be tried.
    const retry = { first_retry_s: 600, max_retry_s: 600, late_note_min: 61 };
    rig.office.workspace.write('configs/inference.json', { provider: 'steady', model: 'm', retry });
    for (const number of [1, 2, 3]) await rig.office.arrival('reply', rig.senderOf(number));
    expect(await rig.office.left('notice')).toHaveLength(1);
  });

  it('is told of once, also where a restart comes in between and nobody else has asked yet', async () => {
    // Three seconds.
    const rig = await open({ retry: { ...QUICK, late_note_min: 0.05 } });
    rig.mood.failing = { status: 410, message: 'the model was retired; use small-2' } as Turn;
    await rig.mail(1);
    await waitingAs(rig, 'provider_unavailable', 1);
    await rig.mail(2);
    await rig.office.arrival('notice', OWNER);
    const waits = () => rig.runs().map(({ id }) => rig.events(id).filter(({ type }) => type === 'deferred').length);
    const each = (least: number) =>
      recorded(rig, () => expect(waits().reduce((sum, one) => sum + one, 0)).toBeGreaterThan(least));
    await recorded(rig, () =>
      expect(rig.runs().some(({ deferred_code: code }) => code === 'provider_setup')).toBe(true),
    );
    await rig.office.restart();
    // Of each half a second, so that the time after which people hear of an outage is over.
    await each(waits().reduce((sum, one) => sum + one, 0) + 12);
    expect((await rig.office.left('notice')).map(({ mail }) => mail.subject)).toEqual([
      'Ada cannot work with steady as it is set up: steady answered 410: the model was retired; use small-2',
    ]);
    // Whoever was told before the restart is not told again.
    for (const number of [1, 2]) expect(await rig.office.left('wait', rig.senderOf(number))).toHaveLength(1);
    await recorded(rig, () =>
      expect(rig.runs().every(({ deferred_code: code }) => code !== 'provider_unavailable')).toBe(true),
    );
  });

  it('is told of once to each sender, after the same time and in the same words, whichever of them met it first', async () => {
    // Three seconds, within which nothing is tried again.
    const rig = await open({ retry: { first_retry_s: 600, max_retry_s: 600, late_note_min: 0.05 } });
    rig.mood.failing = { status: 410, message: 'the model was retired; use small-2' } as Turn;
    await rig.mail(1);
    await waitingAs(rig, 'provider_unavailable', 1);
    await rig.mail(2);
    await rig.mail(3);
    const notes = await Promise.all([1, 2, 3].map((number) => rig.office.arrival('wait', rig.senderOf(number))));
    expect(rig.runs().map(({ deferred_code: code }) => code)).toEqual([
      'provider_unavailable',
      'provider_setup',
      'provider_setup',
    ]);
    expect(new Set(notes.map(({ mail }) => mail.text)).size).toBe(1);
  });

  it('is not told of a second time to whoever was told of an outage that it turned out to be no more', async () => {
    const rig = await open({ retry: { ...QUICK, late_note_min: 0.05 } });
    rig.mood.failing = { status: 410, message: 'the model was retired; use small-2' } as Turn;
    await rig.mail(1);
    await rig.office.arrival('wait', rig.senderOf(1));
    expect(rig.runs()[0]?.deferred_code).not.toBe('provider_setup');
    await rig.mail(2);
    await recorded(rig, () => expect(rig.runs()[0]?.deferred_code).toBe('provider_setup'));
    await rig.mail(3);
    await rig.office.arrival('wait', rig.senderOf(3));
    expect(await rig.office.left('wait', rig.senderOf(1))).toHaveLength(1);
  });

  it('tells sender and owner when mail has waited in vain, and is asked anew when somebody wants it', async () => {
    const rig = await open({
      key: 'right',
      files: { '.env': 'STEADY_API_KEY=wrong\n' },
      retry: { ...QUICK, give_up_hours: 0.0015 },
    });
    await rig.mail(1);
    const reply = await rig.office.arrival('reply', rig.senderOf(1));
    expect(reply.mail.text).toContain('the model service needs something from my owner');
    expect(rig.runs()[0]).toMatchObject({ status: 'failed', outcome: 'gave_up', code: 'provider_setup' });
    rig.office.workspace.write('.env', 'STEADY_API_KEY=right\n');
    expect((await rig.office.cli('mail', 'retry', '<q-1@member.example>')).code).toBe(0);
    expect((await rig.office.arrival('reply', rig.senderOf(1), 2)).mail.text).toContain(ANSWER);
  });
});
