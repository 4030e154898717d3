import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Language } from '../../engine/languages/language.ts';
import { say } from '../../engine/languages/say.ts';
import { ADA, MEMBER, mailTo, type Office, openOffice, type Sent } from './governance-rig.ts';
import { onceRecorded } from './record.ts';

const OLGA = 'olga@owner.example';
const AMELIE = 'amelie@owner.example';
const YUI = 'yui@owner.example';

/** Whom each owner is told in: Olga's and Yui's own mails say it, for Amélie a file does. */
const READS = { [OLGA]: 'de', [AMELIE]: 'fr', [YUI]: 'ja' } as const satisfies Record<string, Language>;

const REQUESTS: Readonly<Record<Language, string>> = {
  en: 'Please send our offer to Carl before the end of the week, and tell him that we can also deliver it.',
  de: 'Bitte schick unser Angebot noch in dieser Woche an Carl und sag ihm, dass wir es auch liefern können.',
  fr: 'Veuillez envoyer notre devis à Carl avant la fin de la semaine et lui dire que nous pouvons aussi le livrer.',
  es: 'Por favor, envía nuestra oferta a Carl antes del fin de semana y dile que también se la podemos entregar.',
  it: 'Per favore, manda la nostra offerta a Carl prima della fine della settimana e digli che possiamo anche consegnarla.',
  nl: 'Stuur onze offerte alsjeblieft voor het einde van de week naar Carl en zeg hem dat we het ook kunnen leveren.',
  pt: 'Por favor, envie a nossa proposta ao Carl antes do fim da semana e diga que também podemos fazer a entrega.',
  pl: 'Proszę, wyślij naszą ofertę do Carla przed końcem tygodnia i powiedz mu, że możemy ją też dostarczyć.',
  ja: '今週中にカールさんへ見積もりを送ってください。配達もできることを伝えてください。',
  zh: '请在本周末之前把我们的报价发给卡尔，并告诉他我们也可以送货。',
};
const LANGUAGES = Object.keys(REQUESTS) as Language[];

let office: Office;
beforeAll(async () => {
  office = await openOffice({
    'configs/security.json': {
      owners: [OLGA, { address: AMELIE, language: 'fr' }, YUI],
      approvals: { batch_window_s: 0 },
      loop_guard: { max_replies_per_thread_per_hour: 0, max_replies_per_sender_per_hour: 0 },
    },
  });
  await office.ask(
    'Guten Tag, hier ist Olga. Ich bin ab heute für die Werkstatt zuständig und schreibe dir noch mehr.',
    OLGA,
  );
  // One mail in another language does not make her an Englishwoman.
  await office.ask('Hello, this is only a note in English, since the supplier is going to read it as well.', OLGA);
  await office.ask('Und noch einmal auf Deutsch: die Werkstatt ist am Freitag zu, das soll jeder wissen.', OLGA);
  await office.ask('こんにちは。ユイです。これからお店のことをよろしくお願いします。', YUI);
});
afterAll(() => office.close());

const languageOf = ({ mail }: Sent): Language | undefined =>
  LANGUAGES.find((language) => mail.text?.includes(`\n${say(language, 'mails.reference')}: ok-`));

const questionsTo = (owner: string): Promise<Sent[]> => office.left('approval', owner);

describe('owners who read German, French and Japanese', () => {
  it.each(LANGUAGES)('are each asked in their own language about a request in %s', async (language) => {
    const subject = `Offer ${language}`;
    await office.ask(
      `${REQUESTS[language]}\n${mailTo('carl@elsewhere.example', subject)}`,
      MEMBER,
      `Request ${language}`,
    );
    for (const [owner, reads] of Object.entries(READS)) {
      const [question, ...others] = (await questionsTo(owner)).filter(({ mail }) => mail.text?.includes(subject));
      expect(others).toEqual([]);
      expect(question?.envelopeTo).toBe(owner);
      expect({ owner, language: question && languageOf(question) }).toEqual({ owner, language: reads });
      expect(question?.mail.subject).toBe(
        say(reads, 'mails.asks', {
          name: 'Ada',
          question: say(reads, 'mails.may.mail', { subject, to: 'carl@elsewhere.example' }),
        }),
      );
    }
  });

  it('may each answer their own mail, and only once is done what was asked', async () => {
    const [question] = (await questionsTo(AMELIE)).filter(({ mail }) => mail.text?.includes('Offer pl'));
    if (!question) throw new Error('Amélie was not asked');
    await office.answer(question, 'Oui, vas-y', { from: AMELIE });
    const sent = await onceRecorded(office.root, async () => {
      const found = (await office.left('task', 'carl@elsewhere.example')).concat(
        await office.left('notice', 'carl@elsewhere.example'),
        await office.left('reply', 'carl@elsewhere.example'),
      );
      expect(found.map(({ mail }) => mail.subject)).toEqual(['Offer pl']);
      return found;
    });
    expect(sent).toHaveLength(1);
    const { approvals } = (await office.cli('approvals', 'list', '--status', 'executed')).json;
    expect(approvals).toMatchObject([{ decided_by: AMELIE, state: 'executed' }]);
  });

  it('are told what a command of one of them did, each in theirs', async () => {
    await office.post({ from: YUI, to: ADA, subject: 'STOP', text: 'STOP' });
    for (const [owner, reads] of Object.entries(READS)) {
      const told = await onceRecorded(office.root, async () => {
        const found = (await office.left('notice', owner)).filter(({ mail }) => mail.subject?.startsWith('[Ada]'));
        expect(found).toHaveLength(1);
        return found[0];
      });
      expect(told?.mail.subject).toBe(`[Ada] ${say(reads, 'ownerCommands.stopped')}`);
    }
  });
});
