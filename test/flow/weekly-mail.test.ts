import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { endOfWeek } from '../../engine/record/jobs/weekly.ts';
import { ADA, type Admission, BOSS, startAdmission } from './admission-rig.ts';
import { eventually } from './eventually.ts';
import { epistle, type Gateway, launchGateway, startGateway, submit } from './gateway.ts';
import { MEMBER, type Office, OWNER, openOffice } from './governance-rig.ts';
import { onceRecorded } from './record.ts';

const open: { closing: (() => Promise<unknown>)[] } = { closing: [] };
afterEach(async () => {
  for (const close of open.closing.splice(0).toReversed()) await close();
});

/** The week of a persona in Berlin ends on Monday at eight. */
const FRIDAY = '2026-11-27T10:00:00Z';
const BEFORE = '2026-11-30T06:58:00Z';
const MONDAY = '2026-11-30T07:00:30Z';
const TUESDAY = '2026-12-01T09:00:00Z';
const at = (now: string) => ({ NODE_ENV: 'test', EPISTLE_TEST_NOW: now });

const SYSTEM = { log: { level: 'warn', format: 'json' }, weekly_mail: { enabled: true } };
const ADA_FILE = {
  name: 'Ada',
  address: 'ada@agents.localhost',
  timezone: 'Europe/Berlin',
  access: { allow: ['*@member.example'] },
  memory: { facts: true },
};

async function office(files: object = {}, now = FRIDAY): Promise<Office> {
  const made = await openOffice(
    { 'configs/system.json': SYSTEM, 'personas/ada/persona.json': ADA_FILE, ...files },
    at(now),
  );
  open.closing.push(() => made.close());
  return made;
}

const settingsOf = ({ root }: { readonly root: string }) =>
  JSON.parse(readFileSync(join(root, 'personas/ada/persona.json'), 'utf8'));

/** What an owner's answer came to, as she is told. */
const toldOf = (made: Office, words: string): Promise<void> =>
  onceRecorded(made.root, async () => {
    const told = await made.left('notice', OWNER);
    expect(told.filter(({ mail }) => mail.text?.includes(words))).toHaveLength(1);
  });

describe('the mail about a week', () => {
  it('comes once to the owner, on her day by her clock, in her language, and its words switch what they name', async () => {
    const made = await office({
      'configs/security.json': { owners: [{ address: OWNER, language: 'de' }], approvals: { batch_window_s: 0 } },
    });
    await made.ask('What does the oak table cost?');
    await made.ask('And the bench?', 'bob@member.example');
    await made.ask(
      '/remember {"text": "The harbour office opens at seven", "quote": "The harbour office opens at seven", "kind": "state"}\nThe harbour office opens at seven.',
      OWNER,
      'Harbour',
    );
    await made.ask('/send_email {"to": ["carl@elsewhere.example"], "subject": "Offer", "body": "Dear Carl"}');
    await made.restart(at(BEFORE));
    expect(await made.left('weekly')).toEqual([]);

    await made.restart(at(MONDAY));
    const weekly = await made.arrival('weekly', OWNER);
    expect(weekly.mail.subject).toBe('Ada: die Woche vom Mo., 23. Nov. bis Mo., 30. Nov.');
    const text = weekly.mail.text ?? '';
    expect(text).toContain('Ich habe 3 Mails von 3 Personen beantwortet.');
    expect(text).toContain(
      'Ich habe 1 Frage gestellt. 0 wurden mit Ja beantwortet und 0 mit Nein. 1 wartet noch auf Antwort.',
    );
    expect(text).toContain('> The harbour office opens at seven');
    expect(text).toContain('1. Aus: frühere Mails durchsehen, bevor ich antworte.');
    expect(text).toContain('antworten Sie „aus 5“');
    expect(text).not.toMatch(/behalten, was ich mir merken soll|run_|T07:00/);

    await made.answer(weekly, 'ein 1');
    await onceRecorded(made.root, () => expect(settingsOf(made).memory).toEqual({ facts: true, recall: true }));
    await toldOf(made, 'Ab jetzt sehe ich frühere Mails durch, bevor ich antworte.');
    await made.answer(weekly, 'Bitte einschalten 9');
    expect((await made.arrival('clarify', OWNER)).mail.text).toContain('Es sagt nicht, welches');
    expect(Object.keys(settingsOf(made).memory)).toEqual(['facts', 'recall']);

    // Who is no owner switches nothing, and neither does a text that says more.
    await made.answer(weekly, 'ein 2', { from: MEMBER });
    await made.answer(weekly, 'aus 5');
    await onceRecorded(made.root, () => expect(settingsOf(made).weekly_mail).toEqual({ enabled: false }));
    expect(settingsOf(made).inference).toBeUndefined();

    // The next week has a mail, and nobody wants to hear of it any more.
    await made.restart(at(TUESDAY));
    await made.ask('One more.');
    await made.restart(at('2026-12-08T09:00:00Z'));
    await made.ask('And one more.');
    expect(await made.left('weekly')).toHaveLength(1);
  });

  it('counts an answer in words apart from a yes, names what has no complete answer, and counts refused mail', async () => {
    const made = await office();
    await made.ask('/ask_owner {"question": "Which colour is the bench?"}', MEMBER, 'The bench');
    await made.answer(await made.arrival('clarify', OWNER), 'Blue.');
    await made.arrival('reply', MEMBER);
    await made.ask('/delete_file {"path": "notes/no-such-file.md"}', OWNER, 'The old notes');
    const refused = made.post({ from: 'eve@evil.example', subject: 'An offer', text: 'Hello' });
    await expect(refused).rejects.toThrow('550');
    await made.restart(at(MONDAY));
    const text = (await made.arrival('weekly', OWNER)).mail.text ?? '';
    expect(text).toContain('I asked 1 question. 0 got a yes and 0 got a no. 0 still wait for an answer.');
    expect(text).toContain('1 more got an answer in words.');
    expect(text).toMatch(/1 mail has no complete answer\.\n\n {2}> [^\n]*: The old notes\n/);
    expect(text).toContain('1 mail was refused, from 1 sender.');
  });

  it('is not written for a week in which nothing happened, and not where nobody switched it on', async () => {
    const quiet = await office();
    await quiet.restart(at(TUESDAY));
    await quiet.ask('Hello');
    expect(await quiet.left('weekly')).toEqual([]);

    const off = await office({ 'configs/system.json': { log: SYSTEM.log } });
    await off.ask('Hello');
    await off.restart(at(TUESDAY));
    await off.ask('Hello again');
    expect(await off.left('weekly')).toEqual([]);
  });

  it('comes on another day where the owner has chosen one meanwhile, about that week alone', async () => {
    const made = await office();
    await made.ask('Hello');
    await made.cli('config', 'set', 'persona/ada', 'weekly_mail.day', 'wed');
    await made.restart(at(MONDAY));
    await made.ask('Hello on Monday');
    expect(await made.left('weekly')).toEqual([]);
    await made.restart(at('2026-12-02T07:01:00Z'));
    const weekly = await made.arrival('weekly', OWNER);
    expect(weekly.mail.subject).toBe('Ada: the week from Wed 25 Nov to Wed 2 Dec');
    expect(weekly.mail.text).toContain('I answered 2 mails of 1 person.');
  });
});

describe('who was refused within the week', () => {
  it.each([null, 'weekly.asked', 'weekly.switched'])(
    'is let in by a word in the answer to it, once, wherever the gateway is killed (%s)',
    async (label) => {
      const gate: Admission = await startAdmission({
        'configs/system.json': { log: { level: 'warn', format: 'json' }, weekly_mail: { enabled: true } },
        'personas/ada/persona.json': {
          name: 'Ada',
          address: ADA,
          owners: [BOSS],
          timezone: 'Europe/Berlin',
          access: { allow: ['*@member.test'] },
        },
      });
      open.closing.push(() => gate.stop());
      const from = (sender: string, id: string, text: string) =>
        gate.write({ from: sender, id, text, date: new Date().toUTCString() });
      await gate.send(await from('mia@member.test', '<mia@member.test>', 'Hello'));
      await gate.runOf('<mia@member.test>');
      await gate.send(await from('eve@evil.test', '<offer@evil.test>', 'May I?'));
      await gate.gateway.stop();
      const settled = { enabled: true, day: 'mon', at: '08:00' } as const;
      const monday = at(new Date(endOfWeek(settled, 'Europe/Berlin', Date.now()) + 30_000).toISOString());

      const start = async (dies: string | null): Promise<Gateway> => {
        const environment = monday;
        if (dies === null) return startGateway(gate.root, environment);
        return launchGateway(gate.root, { ...environment, EPISTLE_CRASH_AT: dies }).ready;
      };
      if (label === 'weekly.asked') await launchGateway(gate.root, { ...monday, EPISTLE_CRASH_AT: label }).death();
      let gateway = await start(label === 'weekly.switched' ? label : null);
      const weeklies = async () =>
        (await gate.outgoing()).filter(({ mail }) => mail.headers.get('x-epistle-kind') === 'weekly');
      const [weekly] = await eventually(weeklies, (found) => found.length > 0, 60_000);
      expect(weekly?.mail.text).toMatch(/^1\. eve@evil\.test → Ada\n\n {2}> A question$/m);
      const answer = async (text: string, id: string) =>
        submit(gate.root, gateway.ready, {
          from: BOSS,
          to: weekly?.mail.replyTo?.value[0]?.address ?? '',
          subject: `Re: ${weekly?.mail.subject}`,
          text,
          messageId: id,
          inReplyTo: weekly?.mail.messageId ?? '',
        });
      try {
        await answer('on 2', '<on@owner.test>').catch(() => {});
        if (label === 'weekly.switched') {
          await (gateway as Awaited<ReturnType<typeof launchGateway>['ready']>).death();
          gateway = await start(null);
        }
        const settings = () => JSON.parse(readFileSync(join(gate.root, 'personas/ada/persona.json'), 'utf8'));
        await eventually(settings, (found) => found.memory?.recall === true, 60_000);
        await answer('allow 1', '<allow@owner.test>');
        await eventually(settings, (found) => found.access.allow.includes('eve@evil.test'), 60_000);
        await gate.answersTo('<offer@evil.test>');
        const told = async () =>
          (await gate.outgoing()).filter(({ mail }) => mail.text?.includes('look through earlier mail before'));
        expect(await eventually(told, (found) => found.length > 1, 60_000)).toHaveLength(2);
        expect(await weeklies()).toHaveLength(1);
        const { audit } = (await epistle(gate.root, ['audit', '--limit', '100'])).json;
        expect(audit.filter(({ event }: { event: string }) => event === 'again_asked')).toHaveLength(1);
      } finally {
        await gateway.end();
      }
    },
  );
});
