import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLog } from '../../engine/lib/log/log.ts';
import { spendingOf } from '../../engine/queries/costs/spending.ts';
import { htmlOfMail, oneMail, sourceOfMail } from '../../engine/queries/mail/one-mail.ts';
import { type TrafficRow, trafficOf, unsentOf } from '../../engine/queries/mail/traffic.ts';
import { peopleOf, personOf } from '../../engine/queries/people/people.ts';
import { runTimeline } from '../../engine/queries/runs/timeline.ts';
import { type ConsoleViewer, portsOf } from '../../engine/queries/viewer.ts';
import { openWorkspace, type Workspace } from '../../engine/workspace.ts';
import { type Admission, BEN, BOSS, MIA, startAdmission } from './admission-rig.ts';
import { eventually } from './eventually.ts';

const EVE = 'eve@evil.test';
const HTML = [
  '--x',
  'Content-Type: text/plain',
  '',
  'The offer, please.',
  '--x',
  'Content-Type: text/html',
  '',
  '<p onclick="x()">The <b>offer</b>, please.</p><img src="https://spy.test/1.gif"><script>alert(1)</script>',
  '--x--',
].join('\r\n');

const boss: ConsoleViewer = { address: BOSS, role: 'owner', personas: new Set(['ada']), ownsGateway: true };
const theo: ConsoleViewer = {
  address: 'theo@owner.test',
  role: 'owner',
  personas: new Set(['ben']),
  ownsGateway: false,
};

let gate: Admission;
let open: Workspace;
beforeAll(async () => {
  gate = await startAdmission({
    'personas/ben/persona.json': { name: 'Ben', address: BEN, owners: [theo.address], access: { allow: [MIA] } },
  });
  const headers = ['MIME-Version: 1.0', 'Content-Type: multipart/alternative; boundary=x'];
  await gate.mail({ from: MIA, id: '<offer@member.test>', subject: 'An offer', text: HTML, headers });
  await gate.runOf('<offer@member.test>');
  await gate.mail({ from: MIA, id: '<ben@member.test>', to: BEN, subject: 'For Ben' }, [BEN]);
  await gate.runOf('<ben@member.test>', 'ben');
  await gate.mail({ from: EVE, id: '<eve@evil.test>', subject: 'Let me in', text: 'I am new here.' });
  await gate.mail({ from: EVE, id: '<same@evil.test>', to: BEN, subject: 'For Ben alone' }, [BEN]);
  await gate.mail({ from: EVE, id: '<same@evil.test>', subject: 'The same id' });
  open = openWorkspace({
    root: gate.root,
    settings: { testNow: null, crashAt: null } as Parameters<typeof openWorkspace>[0]['settings'],
    makeLog: () => silentLog,
  });
  await open.extensions();
  await eventually(
    async () => (await trafficOf(open, boss, { limit: 50, direction: 'out' })).mails,
    ({ length }) => length > 0,
  );
  await eventually(
    async () => (await trafficOf(open, theo, { limit: 50, direction: 'out' })).mails,
    ({ length }) => length > 0,
  );
});
afterAll(async () => {
  await open?.close();
  await gate?.stop();
});

const mailsOf = async (viewer: ConsoleViewer) => (await trafficOf(open, viewer, { limit: 50 })).mails;
const one = async (viewer: ConsoleViewer, subject: string): Promise<TrafficRow> => {
  const found = (await mailsOf(viewer)).find((mail) => mail.subject === subject);
  if (!found) throw new Error(`${viewer.address} sees no ${subject}`);
  return found;
};

describe('mail that is looked at', () => {
  it('is listed both ways with its fate, the newest first', async () => {
    const told = (await mailsOf(boss)).map(({ direction, who, subject, fate }) => [direction, who, subject, fate]);
    expect(told.slice(0, 2)).toEqual([
      ['in', EVE, 'The same id', 'refused'],
      ['in', EVE, 'Let me in', 'refused'],
    ]);
    expect(told).toContainEqual(['in', MIA, 'An offer', 'answered']);
    expect(told).toContainEqual(['out', MIA, 'Re: An offer', 'sent']);
    expect(await unsentOf(open, boss, 10)).toEqual([]);
  });

  it('is whole: its words, its proof, its headers, its thread and what became of it', async () => {
    const { mail, ...offer } = await oneMail(open, boss, (await one(boss, 'An offer')).id);
    expect(mail).toMatchObject({ persona: 'ada', fate: 'answered', tier: 'member' });
    expect(offer.pieces).toEqual([{ kind: 'written', text: 'The offer, please.' }]);
    expect(offer.proof).toContainEqual({ what: 'dkim', result: 'pass (member.test)' });
    expect(offer.headers).toContainEqual({ name: 'subject', value: 'An offer' });
    expect(offer.run).toMatchObject({ status: 'done', persona: 'ada' });
    expect(offer.thread?.mails.map(({ direction, isThis }) => [direction, isThis])).toEqual([
      ['in', true],
      ['out', false],
    ]);
    const answer = offer.thread?.mails[1]?.id ?? 0;
    expect(await oneMail(open, boss, answer)).toMatchObject({ mail: { direction: 'out', fate: 'sent' }, proof: [] });
    expect(Buffer.from((await sourceOfMail(open, boss, answer)) ?? []).toString()).toContain('Subject: Re: An offer');
  });

  it('shows its HTML without what acts or is fetched', async () => {
    const { hasHtml } = await oneMail(open, boss, (await one(boss, 'An offer')).id);
    expect(hasHtml).toBe(true);
    expect(await htmlOfMail(open, boss, (await one(boss, 'An offer')).id)).toEqual({
      html: '<p>The <b>offer</b>, please.</p><span class="picture-left-out"></span>',
      remotePictures: 1,
      isCut: false,
    });
    expect(await htmlOfMail(open, boss, (await one(boss, 'Let me in')).id)).toBe(null);
  });

  it('can be read although it was refused, as long as it is kept, and only where it came for that persona', async () => {
    const eve = await oneMail(open, boss, (await one(boss, 'Let me in')).id);
    expect(eve).toMatchObject({ text: 'I am new here.\n', run: null, thread: null });
    expect(eve.mail.cure).toContain('access.allow');
    const [his, hers] = [await one(theo, 'For Ben alone'), await one(boss, 'The same id')];
    const sources = [await sourceOfMail(open, theo, his.id), await sourceOfMail(open, boss, hers.id)];
    expect(sources.map((raw) => /^Subject: (.*?)\r?$/m.exec(Buffer.from(raw ?? []).toString())?.[1])).toEqual([
      'For Ben alone',
      'The same id',
    ]);
  });

  it('of another owner is not there, on any way', async () => {
    const [hers, his] = [await mailsOf(boss), await mailsOf(theo)];
    expect(his.map(({ persona }) => persona)).toEqual(his.map(() => 'ben'));
    expect(hers.map(({ persona }) => persona)).toEqual(hers.map(() => 'ada'));
    for (const [viewer, mails] of [
      [theo, hers],
      [boss, his],
    ] as const) {
      for (const { id, run_id, persona } of mails) {
        for (const look of [oneMail, htmlOfMail, sourceOfMail])
          await expect(look(open, viewer, id)).rejects.toMatchObject({ code: 'not_found' });
        if (run_id !== null)
          await expect(runTimeline(open, viewer, { persona: persona ?? '', id: run_id })).rejects.toMatchObject({
            code: 'not_found',
          });
        // Nor where the query is handed what the viewer may read from alone.
        await expect(oneMail(portsOf(open, viewer), viewer, id)).rejects.toMatchObject({ code: 'not_found' });
      }
    }
    await expect(trafficOf(open, theo, { limit: 5, persona: 'ada' })).rejects.toMatchObject({ code: 'not_found' });
    await expect(peopleOf(open, theo, { limit: 5, persona: 'ada' })).rejects.toMatchObject({ code: 'not_found' });
    await expect(
      spendingOf(open, theo, { from: '2026-01-01', to: '2026-01-02', persona: 'ada' }),
    ).rejects.toMatchObject({ code: 'not_found' });
    await expect(oneMail(open, boss, Number.NaN)).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a run that is looked at', () => {
  it('has the parts that took time, within its own', async () => {
    const { run_id: id } = await one(boss, 'An offer');
    const found = await runTimeline(open, boss, { persona: 'ada', id: id ?? '' });
    expect(found.about).toEqual({ from: MIA, subject: 'An offer' });
    expect(found.parts[0]).toMatchObject({ kind: 'queue', ok: true });
    expect(found.parts.map(({ kind }) => kind)).toContain('model');
    const begin = Date.parse(found.run.created_at);
    for (const { from, ms } of found.parts) {
      expect(from).toBeGreaterThanOrEqual(begin - 1);
      expect(from + ms).toBeLessThanOrEqual(begin + found.total + 1);
    }
    expect(found.waited).toBeLessThanOrEqual(found.total);
    expect(found.prompt.length).toBeGreaterThan(0);
    expect(found.mail).toBe((await one(boss, 'An offer')).id);
    expect(found.reply).toBe((await one(boss, 'Re: An offer')).id);
    expect(found.answer).not.toBe(null);
  });
});

describe('a person who is looked at', () => {
  it('is told of as far as the personas of whoever looks know them', async () => {
    const hers = await personOf(open, boss, 'MIA@member.test');
    expect(hers.personas).toEqual([
      expect.objectContaining({
        ...{ persona: 'ada', tier: 'member', by: 'persona', entry: '*@member.test' },
        ...{ wrote: 1, taken: 1, written: 1, refused: 0, runs: 1 },
      }),
    ]);
    const his = await personOf(open, theo, MIA);
    expect(his.personas.map(({ persona, entry }) => [persona, entry])).toEqual([['ben', MIA]]);
    expect(his.mails.map(({ persona }) => persona)).toEqual(['ben', 'ben']);
    await expect(personOf(open, boss, 'nobody@nowhere.test')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is in the list once, with the newest mail', async () => {
    const told = async (viewer: ConsoleViewer) =>
      (await peopleOf(open, viewer, { limit: 10 })).people.map(({ who, subject, standing }) => [
        who,
        subject,
        standing?.tier,
      ]);
    expect(await told(boss)).toEqual([
      [EVE, 'The same id', 'stranger'],
      [MIA, 'An offer', 'member'],
    ]);
    expect(await told(theo)).toEqual([
      [EVE, 'For Ben alone', 'stranger'],
      [MIA, 'For Ben', 'member'],
    ]);
  });
});

describe('money that is looked at', () => {
  it('is that of the personas of whoever looks, day by day', async () => {
    const today = new Date().toISOString().slice(0, 10);
    const from = new Date(Date.now() - 6 * 86_400_000).toISOString().slice(0, 10);
    const hers = await spendingOf(open, boss, { from, to: today });
    expect(hers.days.map(({ runs }) => runs)).toEqual([0, 0, 0, 0, 0, 0, 1]);
    expect(hers.personas.map(({ key, runs }) => [key, runs])).toEqual([['ada', 1]]);
    expect(hers.people).toMatchObject([{ key: MIA, runs: 1 }]);
    expect(hers.models).toMatchObject([{ key: 'offline/offline', runs: 1 }]);
    expect((await spendingOf(open, theo, { from, to: today })).personas.map(({ key }) => key)).toEqual(['ben']);
  });
});
