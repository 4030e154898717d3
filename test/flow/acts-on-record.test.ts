import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Turn } from '../fakes/model-script.ts';
import { someOf } from '../size.ts';
import { type Modelled, openModelled } from './acceptance/office-with-model.ts';
import { CARL, MEMBER } from './governance-rig.ts';
import { openPersonaDb, runsEnded } from './persona-db.ts';

// What was done is read from the record: an answer that says otherwise has one line by the gateway below it, and an honest one none.

const SAVE = { name: 'write_file', arguments: { path: 'note.txt', content: 'The yard is closed.' } };
/** Owners are asked about it while the answer leaves. */
const MAIL = { name: 'send_email', arguments: { to: [CARL], subject: 'Offer', body: 'Dear Carl' } };

/** One mail and what its model says turn by turn; `wants`: what a model that reads it first takes its sender to want. */
interface Told {
  readonly mail: string;
  readonly wants?: readonly string[];
  readonly turns: readonly Turn[];
}
interface Lie extends Told {
  readonly line: string;
}

const answer = (text: string, more: object = {}): Turn => ({
  calls: [{ name: 'answer', arguments: { text, ...more } as never }],
});
/** It says the same when it is told that nothing on record did it. */
const insisting = (turn: Turn): readonly Turn[] => [turn, turn];

/** In plain text, of an effect that the mail was taken to ask for. */
const asked = (mail: string, text: string, wants: string, line: string): Lie => ({
  ...{ mail, line, wants: [wants] },
  turns: insisting({ text }),
});
/** As something that the model declares to have done, of a mail that nobody has read before. */
const declared = (mail: string, text: string, did: string, line: string): Lie => ({
  ...{ mail, line },
  turns: insisting(answer(text, { did })),
});

const SENT = 'mail:create';
const LIES: readonly Lie[] = [
  asked('Please tell the caterer that we are twelve.', 'I have told the caterer.', SENT, 'No mail was sent this time.'),
  asked('Forward the photos to Bob, please.', 'Forwarded the photos to Bob.', SENT, 'No mail was sent this time.'),
  asked('Book a table with Carol for eight.', 'Booked: a table for eight.', SENT, 'No mail was sent this time.'),
  asked('Save the menu as a file.', 'Saved as menu.txt.', 'files:create', 'No file was saved this time.'),
  asked('Put the new price into prices.csv.', 'The price is in now.', 'files:write', 'No file was changed this time.'),
  asked('Delete the old notes.', 'They are deleted.', 'files:delete', 'No file was deleted this time.'),
  asked('Remind me on Friday.', 'I will remind you on Friday.', 'schedule:write', 'Nothing was scheduled this time.'),
  asked('Cancel the weekly report.', 'Cancelled.', 'schedule:write', 'Nothing was scheduled this time.'),
  asked(
    'Remember that I am away in May.',
    'I keep that in mind.',
    'memory:create',
    'Nothing was noted down this time.',
  ),
  asked('Sag bitte Bob Bescheid.', 'Bob weiß Bescheid.', SENT, 'Diesmal wurde keine Mail gesendet.'),
  asked(
    'Bitte speichere die Liste ab.',
    'Die Liste ist gespeichert.',
    'files:create',
    'Diesmal wurde keine Datei gespeichert.',
  ),
  asked(
    'Erinnere mich bitte am Freitag daran.',
    'Ich erinnere dich am Freitag.',
    'schedule:write',
    'Diesmal wurde nichts eingeplant.',
  ),
  asked(
    'Merci de prévenir le traiteur pour nous.',
    'Le traiteur est prévenu, tout est en ordre.',
    SENT,
    'Aucun message n’a été envoyé cette fois.',
  ),
  asked(
    'Por favor, avisa a los proveedores de la fecha.',
    'Ya he avisado a los proveedores de la fecha.',
    SENT,
    'Esta vez no se envió ningún correo.',
  ),
  asked(
    'Puoi mandare il preventivo al cliente, per favore?',
    'Ho mandato il preventivo al cliente, è tutto a posto.',
    SENT,
    'Questa volta non è stata inviata nessuna mail.',
  ),
  asked(
    'Wil je de offerte naar de klant sturen?',
    'De offerte is naar de klant gestuurd, het is in orde.',
    SENT,
    'Deze keer is er geen mail verzonden.',
  ),
  asked(
    'Podes enviar a proposta ao cliente, por favor?',
    'Já enviei a proposta ao cliente, não falta nada.',
    SENT,
    'Desta vez não foi enviado nenhum e-mail.',
  ),
  asked(
    'Proszę wysłać ofertę do klienta jeszcze dzisiaj.',
    'Oferta została wysłana do klienta, wszystko jest gotowe.',
    SENT,
    'Tym razem nie wysłano żadnej wiadomości.',
  ),
  asked('見積書をお客様に送ってください。', '見積書をお客様に送りました。', SENT, '今回、メールは送信されていません。'),
  asked('请把报价发给客户。', '报价已经发给客户了。', SENT, '这次没有发送邮件。'),
  declared('Please tell the caterer.', 'I have told the caterer.', 'send_email', 'No mail was sent this time.'),
  declared('Did you write to Bob?', 'Yes, I wrote to him.', SENT, 'No mail was sent this time.'),
  declared('Save the list, please.', 'It is saved.', 'write_file', 'No file was saved this time.'),
  declared('Delete the list, please.', 'It is deleted.', 'delete_file', 'No file was deleted this time.'),
  declared(
    'Did you cancel the booking?',
    'Yes, I cancelled it last week.',
    'cancelled the booking',
    'Nothing was changed this time.',
  ),
  declared('Remind me tomorrow.', 'I will.', 'schedule_task', 'Nothing was scheduled this time.'),
  declared(
    'Sag bitte der Werkstatt Bescheid.',
    'Die Werkstatt weiß Bescheid.',
    'send_email',
    'Diesmal wurde keine Mail gesendet.',
  ),
  declared(
    'Merci de prévenir la mairie pour nous.',
    'La mairie est prévenue, tout est en ordre.',
    'send_email',
    'Aucun message n’a été envoyé cette fois.',
  ),
  declared(
    'Por favor, guarda la lista en un archivo.',
    'La lista ya está guardada en un archivo.',
    'write_file',
    'Esta vez no se guardó ningún archivo.',
  ),
  declared('请把清单保存下来。', '清单已经保存好了。', 'call_77, write_file', '这次没有保存文件。'),
];

/** Nothing is asked for, and nothing is said to be done. */
const PLAIN: readonly (readonly [string, string])[] = [
  ['Thanks for the list.', 'You are welcome.'],
  ['What is the capital of Peru?', 'Lima.'],
  ['Did you send Bob the offer?', 'Yes, I sent it on Monday.'],
  ['Have you told Carol?', 'Carol has known since last week.'],
  ['Is the report saved?', 'It has been in reports/ since May.'],
  ['Can you hear me?', 'Loud and clear.'],
  ['How do I send a mail to Bob?', 'Write to bob@member.example.'],
  ['Should I delete the old notes?', 'I would keep them.'],
  ['Who cancelled the booking?', 'You did, on Friday.'],
  ['Here is the plan for May.', 'Thank you, I have read it.'],
  ['Danke für die Liste!', 'Gern geschehen.'],
  ['Hast du Bob die Liste geschickt?', 'Ja, am Montag habe ich sie ihm geschickt.'],
  ['Was kostet ein Brett?', 'Das weiß ich nicht.'],
  ['Merci beaucoup pour votre aide.', 'Je vous en prie, à bientôt.'],
  ['As-tu prévenu le traiteur hier ?', 'Oui, je l’ai prévenu hier dans mon message.'],
  ['¿Enviaste la oferta al cliente?', 'Sí, la envié el lunes por la mañana.'],
  ['Hai mandato il preventivo al cliente?', 'Sì, l’ho mandato lunedì mattina.'],
  ['Heb je de klant al geschreven?', 'Ja, maandag heb ik de klant geschreven.'],
  ['見積書は送りましたか？', 'はい、月曜日に送りました。'],
  ['报价发了吗？', '星期一已经发了。'],
];

/** Something is asked for, and the answer is a question, a no, or that it was done before: the model says which, at once or when it is told. */
const OWNED: readonly (readonly [string, string, object])[] = [
  ['Send Bob the offer.', 'Which offer do you mean?', { question: true }],
  ['Write to Carol.', 'What shall I write to her?', { question: true }],
  ['Delete the notes.', 'All of them?', { question: true }],
  ['Book a table.', 'For how many?', { question: true }],
  ['Schick das bitte an Bob.', 'Welche Datei meinst du?', { question: true }],
  ['Merci d’écrire à Carol pour moi.', 'Que dois-je lui écrire de votre part ?', { question: true }],
  ['Send Bob the offer.', 'No, I may not write to Bob.', { not_done: [SENT] }],
  ['Forward this to Carol.', 'I cannot forward it.', { not_done: 'send_email' }],
  ['Save this.', 'I would rather not: it holds a password.', { not_done: ['files:create'] }],
  ['Delete the report.', 'No, it is still needed.', { not_done: 'files' }],
  ['Cancel the report.', 'I have no way to cancel it.', { not_done: ['schedule'] }],
  ['Send Bob the offer.', 'I sent it to him on Monday already.', { not_done: 'mail' }],
  ['Tell Carol.', 'She has known since my mail of Friday.', { not_done: 'mail' }],
  ['Sag bitte Bob Bescheid.', 'Das habe ich am Montag schon getan.', { not_done: ['mail:create'] }],
  ['Bitte lösche die Liste.', 'Nein, die Liste wird noch gebraucht.', { not_done: ['files:delete'] }],
  ['Por favor, avisa a los proveedores.', 'No, no puedo avisar a los proveedores.', { not_done: ['mail'] }],
  ['请把报价发给客户。', '您要发哪一份报价？', { question: true }],
];
const wantedIn = (more: object): string => {
  const named = String(Reflect.get(more, 'not_done') ?? SENT);
  if (named.includes(':')) return named;
  return { files: 'files:delete', schedule: 'schedule:write' }[named] ?? SENT;
};

const HONEST: readonly Told[] = [
  ...PLAIN.map(([mail, text]): Told => ({ mail, wants: [], turns: [{ text }] })),
  ...OWNED.map(([mail, text, more]): Told => ({ mail, wants: [wantedIn(more)], turns: [answer(text, more)] })),
  ...OWNED.map(
    ([mail, text, more]): Told => ({ mail, wants: [wantedIn(more)], turns: [{ text }, answer(text, more)] }),
  ),
  { mail: 'Save it.', wants: ['files:create'], turns: [{ calls: [SAVE] }, { text: 'It is saved.' }] },
  { mail: 'Note it.', wants: ['memory:create'], turns: [{ calls: [SAVE] }, { text: 'It is noted.' }] },
  { mail: 'Save it.', turns: [{ calls: [SAVE] }, answer('It is saved.', { did: 'write_file' })] },
  { mail: 'Save it.', turns: [{ calls: [SAVE] }, answer('It is saved.', { did: ['saved the note'] })] },
  { mail: 'Write to Carl.', wants: [SENT], turns: [{ calls: [MAIL] }, { text: 'The mail waits for an owner.' }] },
  { mail: 'Write to Carl.', turns: [{ calls: [MAIL] }, answer('It waits for an owner.', { did: [SENT] })] },
];

const rig: { made?: Modelled; told: readonly Turn[]; wants: readonly string[] } = { told: [], wants: [] };
const office = () => (rig.made as Modelled).office;

const persona = (id: string, more: object) => ({
  [`personas/${id}/persona.json`]: {
    name: id,
    address: `${id}@agents.localhost`,
    access: { allow: [MEMBER] },
    ...more,
  },
  [`personas/${id}/PERSONA.md`]: `You are ${id}.`,
});
const FRAME = { stages: { frame: { provider: 'steady', model: 'm' } } };

beforeAll(async () => {
  rig.made = await openModelled(
    (turn, mail) => {
      if (!mail.startsWith('{"received"')) return rig.told[Math.min(turn, rig.told.length - 1)] ?? { text: 'No more.' };
      const intent = { kind: 'request', wanted_effects: rig.wants, time_range: null, people: [], done: true };
      return { text: JSON.stringify(intent) };
    },
    {
      'configs/security.json': {
        owners: ['owner@example.com'],
        approvals: { batch_window_s: 0, answer: 'now' },
        loop_guard: { fast_reply_s: 0, max_replies_per_thread_per_hour: 0, max_replies_per_sender_per_hour: 0 },
      },
      // A mail is read first by one of them, and answered at once by the other.
      ...persona('fred', { inference: FRAME }),
      ...persona('dora', {}),
    },
  );
});
afterAll(() => rig.made?.close());

const sent = { fred: 0, dora: 0 };

async function answered({ mail, wants, turns }: Told) {
  rig.told = turns;
  rig.wants = wants ?? [];
  const to = wants === undefined ? 'dora' : 'fred';
  sent[to] += 1;
  const messageId = `<${to}-${sent[to]}@member.example>`;
  const subject = `Matter ${sent[to]}`;
  await office().post({ from: MEMBER, to: `${to}@agents.localhost`, subject, text: mail, messageId });
  await runsEnded(office().root, to, sent[to]);
  const db = openPersonaDb(office().root, to);
  try {
    const run = db.runOf(messageId);
    if (!run) throw new Error(`no run for ${messageId}`);
    const gaps = db.events(run.id).filter(({ type, data }) => type === 'decision' && data.reason === 'gap');
    const replayed = await office().cli('runs', 'replay', run.id);
    return { run, gaps: gaps.length, text: db.replyText(run) ?? '', replayed: replayed.json.replay.identical };
  } finally {
    db.close();
  }
}

const LINES =
  /this time|[Dd]iesmal|cette fois|[Ee]sta vez|[Qq]uesta volta|[Dd]eze keer|[Dd]esta vez|[Tt]ym razem|今回|这次/;

describe('an answer that says what was not done', () => {
  it('is contradicted in one line of its language, whatever it says when it is told', async () => {
    const lies = someOf(LIES, 8);
    const found = [];
    for (const lie of lies) {
      const { run, gaps, text, replayed } = await answered(lie);
      const words = lie.turns[0]?.text ?? String(Reflect.get(Object(lie.turns[0]?.calls?.[0]?.arguments), 'text'));
      found.push({ mail: lie.mail, text, gaps, outcome: run.outcome, replayed });
      expect.soft(text).toBe(`${words}\n\n${lie.line}`);
    }
    expect(found.filter(({ gaps, outcome, replayed }) => gaps !== 1 || outcome !== 'final' || !replayed)).toEqual([]);
  }, 600_000);
});

describe('an honest answer', () => {
  it('has no line below it', async () => {
    const remarked = [];
    for (const honest of someOf(HONEST, 14)) {
      const { text, gaps, replayed } = await answered(honest);
      const isTold = honest.turns.length > 1 && honest.turns[0]?.text !== undefined;
      if (LINES.test(text) || gaps !== (isTold ? 1 : 0) || !replayed)
        remarked.push({ ...honest, text, gaps, replayed });
    }
    expect(HONEST).toHaveLength(60);
    expect(remarked).toEqual([]);
  }, 900_000);
});
