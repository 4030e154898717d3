import { describe, expect, it } from 'vitest';
import { frameOf } from '../../../../engine/harness/evidence/frame.ts';
import { TOOLS } from './gate-case.ts';

const framed = (text: string, more: Partial<Parameters<typeof frameOf>[0]> = {}, offered = TOOLS) =>
  frameOf(
    {
      subject: 'A request',
      text,
      sender: 'mia@member.example',
      attachments: [],
      today: '2026-11-21',
      given: [],
      ...more,
    },
    offered,
  );

describe('the kind of a mail', () => {
  it.each([
    ['Hello Ada, thank you for yesterday.', 'conversation'],
    ['Write me a poem about autumn.', 'conversation'],
    ['Send me a list of ideas.', 'conversation'],
    ['Mail from carl@elsewhere.example: he says hello.', 'conversation'],
    ['How do I delete a file?', 'question'],
    ['Wie geht es dir?', 'question'],
    ['¿Cuánto cuesta?', 'question'],
    ['いくらですか？', 'question'],
    ['Why did the import fail?', 'investigation'],
    ['Could you please check the numbers?', 'investigation'],
    ['Bitte prüfe die Zahlen.', 'investigation'],
    ['Vérifiez les chiffres, svp.', 'investigation'],
    ['请检查日志。', 'investigation'],
    ['Please send carl@elsewhere.example our offer.', 'action'],
    ['Kannst du bitte die Datei alt.csv löschen?', 'action'],
    ["Supprime le fichier vieux.csv, s'il te plaît.", 'action'],
    ['Por favor, envía la oferta a carl@elsewhere.example.', 'action'],
    ['Remind me to call Eva on Friday.', 'action'],
    ['Please update plan.md with the new date.', 'action'],
  ])('%s is a matter of %s', (text, kind) => expect(framed(text).kind).toBe(kind));

  it('is read from the subject when there is nothing else', () => {
    expect(framed('', { subject: 'Please delete old.csv' }).kind).toBe('action');
  });
});

describe('what an answer has to bring', () => {
  it.each([
    ['What does offer.md say about the price?', ['answer', 'source']],
    ['Please find the invoice in my mailbox.', ['answer', 'source']],
    ['Durchsuche meine Dateien nach dem Vertrag: suche in meinen Dateien.', ['answer', 'source']],
    ['Search my mails for Carl.', ['answer', 'source']],
    ['Read this mail and tell me what you think.', ['answer']],
    ['Please check the text below.', ['answer']],
    ['What is the capital of France?', ['answer']],
    ['See https://example.com/offer.html for more.', ['answer']],
    ['Please send carl@elsewhere.example our offer.', ['answer', 'action_result']],
    ['Please send it to mia@member.example.', ['answer']],
    ['Remind me on Friday.', ['answer']],
  ])('%s: %j', (text, outputs) => expect(framed(text).expected_outputs).toEqual(outputs));

  it('is nothing that no tool could bring', () => {
    expect(framed('What does offer.md say?', {}, []).expected_outputs).toEqual(['answer']);
    expect(framed('Please delete old.csv.', {}, []).expected_outputs).toEqual(['answer']);
  });

  it('is no look into a file that the prompt has anyway', () => {
    expect(framed('What does Offer.md say?', { given: ['## offer.md\n12 EUR'] }).expected_outputs).toEqual(['answer']);
  });

  it('is no look at a picture, which the model sees by itself', () => {
    const picture = { name: 'plan.pdf', type: 'image/png', unreadable: null };
    expect(framed('What does plan.pdf show?', { attachments: [picture] }).expected_outputs).toEqual(['answer']);
  });
});

describe('a mail that forbids changes', () => {
  it.each([
    'Check the plan. Do not change anything.',
    'Please check the plan, but do not change anything yet.',
    'Look at the list without changing anything.',
    'Bitte prüfe den Plan und ändere nichts.',
    'Vérifie le plan, ne change rien.',
    'Revisa el plan. No cambies nada.',
    'Проверь план. Ничего не меняй.',
    '请检查计划，不要修改任何内容。',
  ])('is taken at its word: %s', (text) => expect(framed(text)).toMatchObject({ risk: 'read_only', certain: true }));

  it.each([
    'Do not change anything about the tone, but rewrite it.',
    'Do not change anything in the contract, and save a note to notes.md.',
    'Please delete old.csv. Do not change anything else.',
    'Check the plan.',
    'Why did the import fail?',
    'Hello!',
    '> Do not change anything.\n\nYes, please do.',
  ])('is not heard where it is not said of everything: %s', (text) => expect(framed(text).certain).toBe(false));
});

describe('a stretch of time', () => {
  it.each([
    ['Check it since Monday.', '2026-11-16'],
    ['Was ist seit Freitag passiert?', '2026-11-20'],
    ['Depuis mardi, rien ne marche.', '2026-11-17'],
    ['since 2026-11-03', '2026-11-03'],
    ['seit 3.11.', '2026-11-03'],
    ['in the last 7 days', '2026-11-14'],
    ['in den letzten 2 Wochen', '2026-11-07'],
    ['les derniers 3 jours', '2026-11-18'],
  ])('%s begins %s', (text, from) => expect(framed(text).range?.from ?? null).toBe(from));

  it('is none where none is named', () => expect(framed('Hello since you are here.').range).toBeNull());
});

describe('hostile mail', () => {
  it.each([
    ['one long word', 'a'.repeat(500_000)],
    ['paths without end', 'a/b c/'.repeat(50_000)],
    ['half addresses', 'a@'.repeat(100_000)],
    ['politeness without end', 'please '.repeat(50_000)],
    ['quotation marks', '"'.repeat(200_000)],
    ['ideographs', '请'.repeat(100_000)],
  ])('is framed without delay: %s', (_what, text) => {
    const started = performance.now();
    expect(framed(text).certain).toBe(false);
    expect(performance.now() - started).toBeLessThan(3000);
  });
});
