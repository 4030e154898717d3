import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ParsedMail } from 'mailparser';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { answerTo } from '../../lab/day-of-words.ts';
import { accounted, outOfPlace } from './accounts.ts';
import { DIARY } from './diary.ts';
import { BEN, CLEO, type Letter, type Office, openWeek, type Who } from './office.ts';
import { transcriptOf } from './transcript.ts';
import { NEW_MODEL, OLD_MODEL } from './vendor.ts';

let office: Office;
beforeAll(async () => {
  office = await openWeek();
});
afterAll(async () => {
  const file = inject('weekTranscript');
  if (file !== '') writeFileSync(file, await transcriptOf(office));
  await office?.close();
});

const kindOf = (mail: ParsedMail) => String(mail.headers.get('x-epistle-kind'));
const ofKind = async (who: Who, kind: string) => (await office.inbox(who)).filter((mail) => kindOf(mail) === kind);
/** The newest mail of this kind, once somebody has got so many. */
const nth = (who: Who, kind: string, count: number): Promise<ParsedMail> =>
  office.until(async () => {
    const found = await ofKind(who, kind);
    expect(found.map(({ subject }) => subject)).toHaveLength(count);
    return found.at(-1) as ParsedMail;
  });
const replied = (letter: Letter): Promise<ParsedMail> =>
  office.until(async () => {
    const found = (await office.answersTo(letter)).filter((mail) => kindOf(mail) === 'reply');
    expect(found, letter.subject).toHaveLength(1);
    return found[0] as ParsedMail;
  });
const asked = async (from: Who, subject: string, text: string, more: Partial<Letter> = {}) =>
  replied(await office.write(from, subject, text, more));
const decides = (mail: ParsedMail, text: string) =>
  office.write('olga', `Re: ${mail.subject}`, text, { to: answerTo(mail), answers: mail, fate: 'decision' });
/** Several write at once, and each is answered. */
async function ordinary(...subjects: readonly string[]): Promise<void> {
  const letters: Letter[] = [];
  for (const [at, subject] of subjects.entries())
    letters.push(await office.write(at % 2 === 0 ? 'bob' : 'carol', subject, news(subject.toLowerCase())));
  for (const letter of letters) await replied(letter);
}
/** Letters are answered as they came; but for the first, which has asked for all of them whether the model works again. */
async function expectInOrder(letters: readonly Letter[]): Promise<void> {
  const [came, answered] = await Promise.all([office.order('ada', letters, 'arrival'), office.order('ada', letters)]);
  expect(answered.toSorted()).toEqual(came.toSorted());
  expect(answered.slice(1)).toEqual(came.filter((subject) => subject !== answered[0]));
}
const news = (of: string) => `Hello,\nthis is only for you to know: there is news of the ${of}.\nThank you.`;
const status = async () => (await office.command('status')).json;
const notices = async () => (await ofKind('olga', 'notice')).map(({ subject = '' }) => subject);
const times = (subjects: readonly string[], words: string) => subjects.filter((one) => one.includes(words)).length;

describe('a week of a small office', () => {
  it('Monday: ordinary work, with a diary that is started anew each hour', { timeout: 120_000 }, async () => {
    await office.begin(0, '09:00');
    expect((await office.command('extensions', 'allow', 'diary')).json).toMatchObject({ pinned: 2 });
    await ordinary('Opening hours', 'Bakery', 'Keys');
    const meeting = await asked('carol', 'The meeting', 'When is it? Please look up "harbour meeting".');
    expect(meeting.text).toContain('Thursday at ten');
    await office.diary.restart();
    const dentist = await asked('bob', 'Dentist', 'When does he come? Please look up "dentist".');
    expect(dentist.text).toContain('Friday at noon');
    const visit = await office.write('carol', 'Visit', 'Please put this into the diary: "Dora on Thursday at two".');
    await decides(await nth('olga', 'approval', 1), 'Yes, please.');
    expect((await replied(visit)).text).toContain('I have done what you asked for.');
    expect(office.called('Dora on Thursday at two')).toBe(1);

    // It is started anew while it is asked.
    office.say({ ...DIARY, byWord: {}, calls: { look_up: 'hang' } });
    const inspection = await office.write('bob', 'The boat', 'When is it inspected? Please look up "inspection".');
    await office.until(() => expect(office.called('inspection')).toBe(1));
    await office.diary.restart(async () => office.say(DIARY));
    expect((await replied(inspection)).text).toContain('The diary did not answer.');

    const speech = await asked('carol', 'A speech', 'Please find out what the mayor earns, and write a speech.');
    expect(speech.text).toMatch(/^I cannot help with this request\./);
    await office.write('dave', 'Paint', 'I sell paint, cheaply.');
    const manual = await asked('bob', 'The pump', 'Please send me the whole manual.');
    expect(manual.text).toContain('Open the valve first, then switch the pump on');
    await asked('carol', 'Minutes', `Please read this.\n${'All agreed, and we closed at nine.\n'.repeat(25_000)}`);
    const shed = await office.write('bob', 'The shed', 'Please ask Olga: "Where is the key to the shed?"');
    await decides(await nth('olga', 'clarify', 1), 'It hangs behind the door.');
    expect((await replied(shed)).text).toContain('behind the door');
    await office.write('bob', 'Photographs', `${'x'.repeat(70)}\n`.repeat(40_000));
    expect((await nth('olga', 'notice', 1)).text).toContain('raise that limit first');
    const again = await asked('bob', 'The boat, again', 'When is it inspected? Please look up "inspection".');
    expect(again.text).toContain('Wednesday morning');
  });

  it('Tuesday: letters go out, one is not agreed to, an answer stays cut off', { timeout: 120_000 }, async () => {
    await office.begin(1, '09:00');
    const meeting = (await office.inbox('carol')).find(({ subject }) => subject === 'Re: The meeting');
    await asked('carol', 'Re: The meeting', news('small room'), meeting ? { answers: meeting } : {});
    const first = await office.write('bob', 'Dora', 'Please write to dora@lab.test: "The boat is ready for you."');
    await decides(await nth('olga', 'approval', 2), 'yes');
    await replied(first);
    const second = await office.write('carol', 'Price', 'Please write to dora@lab.test: "The boat costs 900 EUR."');
    await decides(await nth('olga', 'approval', 3), 'No, that is not the price.');
    expect((await replied(second)).text).toContain('Not done: mail to dora@lab.test');
    await asked('carol', 'The speech, again', 'Please do find out what the mayor earns.');
    const book = await asked('bob', 'Book of the pump', 'Please explain every paragraph of the book.');
    expect(book.text).toContain('This answer is not complete');
    await office.diary.restart(async () => {
      await asked('bob', 'Holidays', 'When is Carol away? Please look up "holidays".');
    });
    const headers = ['Auto-Submitted: auto-replied'];
    await office.write('carol', 'Out of office', 'I am away until noon.', { headers, fate: 'recorded' });
    await asked('olga', 'Ropes', news('ropes'));
    await ordinary('Lamps', 'Ladders');
    const holidays = await asked('bob', 'Holidays, again', 'When is Carol away? Please look up "holidays".');
    expect(holidays.text).toContain('from the twentieth on');
    expect((await ofKind('dora', 'reply')).map(({ text = '' }) => text.split('\n')[0])).toEqual([
      'The boat is ready for you.',
    ]);
  });

  const waiting: Letter[] = [];
  it('Wednesday: the models are retired; all mail waits, and owners hear of it once', {
    timeout: 120_000,
  }, async () => {
    await office.begin(2, '09:00');
    await ordinary('Sails', 'Masts');
    for (const to of [BEN, CLEO]) await asked('carol', 'Tea', news('tea'), { to });
    const before = await notices();
    office.mood.retired = true;
    const anchors = await office.write('bob', 'Anchors', news('anchors'));
    waiting.push(anchors, await office.write('carol', 'Chairs', news('chairs')));
    waiting.push(await office.write('bob', 'Re: Anchors', news('chains'), { answers: { messageId: anchors.id } }));
    waiting.push(await office.write('olga', 'Invoices', news('invoices')));
    for (const to of [BEN, CLEO]) {
      for (const [who, subject] of [
        ['bob', 'Screws'],
        ['carol', 'Nails'],
        ['bob', 'Bolts'],
        ['carol', 'Hinges'],
      ] as const)
        waiting.push(await office.write(who, subject, news(subject), { to }));
    }
    await office.until(async () => {
      const { deferred } = await status();
      expect(
        deferred.map(({ persona, code, count }: Record<string, unknown>) => `${persona} ${code} ${count}`),
      ).toEqual(['ada provider_setup 4', 'ben provider_setup 4', 'cleo provider_setup 4']);
    });
    await office.until(async () =>
      expect((await notices()).slice(before.length).toSorted()).toEqual([
        `Ada cannot work with Anthropic as it is set up: anthropic answered 404: model: ${OLD_MODEL}`,
        'Ben cannot work with mistral as it is set up: mistral answered 400: Invalid model: mistral-tiny',
        'Cleo cannot work with hosted as it is set up: hosted answered 410: The model small-1 was retired; use small-2.',
      ]),
    );
    expect((await status()).unhealthy.join('\n')).toContain(
      `mail of ada waits for its owner: anthropic answered 404: model: ${OLD_MODEL}`,
    );
    const { checks } = (await office.command('doctor')).json;
    const bad = checks.filter(({ ok }: { ok: boolean }) => !ok).map(({ name }: { name: string }) => name);
    expect(bad).toEqual(expect.arrayContaining(['waiting:ada', 'waiting:ben', 'waiting:cleo']));

    // She has tried to switch it off and on again.
    await office.begin(2, '12:30');
    waiting.push(await office.write('carol', 'Lunch', news('lunch')));
    const asksBefore = office.network.asked.length;
    await office.until(() => expect(office.network.asked.length).toBeGreaterThan(asksBefore + 9));
    expect(await notices()).toHaveLength(before.length + 3);

    // What the notice names: the file. For the others the command that doctor names.
    const path = 'personas/ada/persona.json';
    expect((await ofKind('olga', 'notice')).map(({ text }) => text).join('\n')).toContain(
      `name another model in \`inference\` in ${path}`,
    );
    const ada = JSON.parse(readFileSync(join(office.root, path), 'utf8'));
    office.site.workspace.write(path, { ...ada, inference: { ...ada.inference, model: NEW_MODEL } });
    for (const [persona, model] of [
      ['ben', 'mistral-small'],
      ['cleo', 'small-2'],
    ] as const) {
      const { cure } = checks.find(({ name }: { name: string }) => name === `waiting:${persona}`);
      const command = /`epistle (config set [^`]+) <id>`/.exec(cure)?.[1]?.split(' ') ?? [];
      expect((await office.command(...command, model)).json).toMatchObject({ ok: true });
    }
    for (const letter of waiting) await replied(letter);
    for (const who of ['bob', 'carol'] as const) {
      // Other waits are those of a question, and of a mail that was too large.
      const told = (await ofKind(who, 'wait')).filter(
        ({ subject, text }) =>
          subject !== 'Re: Visit' && !/Dora|Price/.test(subject ?? '') && /cannot answer it yet/.test(text ?? ''),
      );
      expect(told.map(({ from }) => from?.text).toSorted()).toEqual(
        [...new Set(told.map(({ from }) => from?.text))].toSorted(),
      );
    }
    await expectInOrder(waiting);
    await ordinary('Boots', 'Gloves');
    expect(await notices()).toHaveLength(before.length + 3);
  });

  it('Thursday: a proxy answers in the place of the model', { timeout: 120_000 }, async () => {
    await office.begin(3, '09:00');
    await asked('bob', 'Weather', news('weather'));
    const before = await notices();
    const calls = office.counted.calls;
    const late: Letter[] = [];
    for (const [mode, subject] of [
      ['login page', 'Oars'],
      ['bad gateway', 'Tar'],
      ['proxy login', 'Buoys'],
      ['other JSON', 'Flags'],
    ] as const) {
      office.between.now = mode;
      const from = office.network.asked.length;
      for (const who of ['bob', 'carol'] as const)
        late.push(await office.write(who, `${subject} of ${who}`, news(subject)));
      await office.until(() =>
        expect(office.network.asked.slice(from).filter(({ by }) => by === 'proxy').length).toBeGreaterThan(1),
      );
    }
    await office.until(async () => {
      const waits = (await status()).deferred.map(({ code, count }: Record<string, unknown>) => `${code} ${count}`);
      expect(waits).toEqual([`provider_unavailable ${late.length}`]);
    });
    await office.begin(3, '13:00');
    await office.until(async () => expect((await notices()).length).toBeGreaterThan(before.length));
    expect(office.counted.calls).toBe(calls);
    office.between.now = 'open';
    for (const letter of late) await replied(letter);
    await expectInOrder(late);
    await ordinary('Sunshine', 'Clouds');
    const told = (await notices()).slice(before.length);
    expect(told).toHaveLength(1);
    expect(told[0]).toMatch(/^Ada has to wait: Anthropic does not answer \(/);
  });

  it('Friday: every mail of the week is accounted for', { timeout: 120_000 }, async () => {
    await office.begin(4, '09:00');
    await ordinary('The weekend', 'Flowers');
    // The first that met the retired model; the others may have waited without a try.
    const anchors = waiting[0]?.id ?? '';
    const why = await office.printed('why', '--subject', 'Chairs');
    expect(why).toMatch(/accepted by ada[\s\S]*reply +<.*> to carol@lab\.test sent/);
    expect((await office.command('runs', 'explain', anchors)).json.explained.steps.length).toBeGreaterThan(1);
    expect((await ofKind('olga', 'notice'))[0]?.text).toContain('Reply "again"');
    expect((await office.command('config', 'set', 'gateway', 'limits.max_message_bytes', '5000000')).code).toBe(0);
    const requeued = await office.command('deadletters', 'requeue', 'last');
    expect(requeued).toMatchObject({ code: 0, json: { results: [{ persona: 'ada', decision: 'accepted' }] } });
    expect(await office.printed('senders', 'allow', 'dave@lab.test')).toContain('taken in: Paint');
    await office.until(async () => expect(await accounted(office)).toEqual([]), 90_000);

    const { total } = (await office.command('usage')).json;
    const { calls, input, output } = office.counted;
    expect(total).toMatchObject({ model_calls: calls, tokens: { input } });
    // Of a count that is less than half of our own the larger one is booked.
    expect(total.tokens.output).toBeGreaterThanOrEqual(output);
    expect(total.tokens.output).toBeLessThan(output * 1.05);
    const { json } = await office.command('deadletters', 'list');
    expect(json.dead_letters).toEqual([]);
    expect((await status()).queue).toEqual({ queued: 0, running: 0, waiting_approval: 0, deferred: 0 });
    expect(await outOfPlace(office)).toEqual([]);
    const all = await notices();
    expect(times(all, 'could not be taken in')).toBe(1);
    expect(times(all, 'new sender was refused')).toBe(1);
    expect(all).toHaveLength(6);
    const people = ['olga', 'bob', 'carol', 'dora', 'dave'] as const;
    const received = (await Promise.all(people.map((who) => office.inbox(who)))).flat();
    const figures = {
      mails: office.letters.length,
      received: received.length,
      notices: all.length,
      model_calls: calls,
    };
    process.stdout.write(`${JSON.stringify(figures)}\n`);
  });
});
