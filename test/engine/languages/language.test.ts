import { describe, expect, it } from 'vitest';
import { languageByCommonWords } from '../../../engine/languages/common-words.ts';
import { type Language, languageOf } from '../../../engine/languages/language.ts';

const SENTENCES: readonly (readonly [Language, string])[] = [
  ['en', 'Please mail Carol that lunch is at twelve.'],
  ['en', 'Could you delete the old notes and tell me when it is done?'],
  ['en', 'Please cancel my reservation in Roma'],
  ['en', 'Lunch at ¡Olé! again on the beach'],
  ['de', 'Bitte schick Carl das Angebot, und sag mir, ob er es bekommen hat.'],
  ['de', 'Könnt ihr mir bitte den Preis für 12 Batterien nennen, inkl. MwSt.?'],
  ['fr', 'Peux-tu envoyer le devis à Marie avant vendredi ?'],
  ['fr', 'Merci beaucoup, il faut aussi supprimer les anciennes notes.'],
  ['es', 'Recuérdame el viernes que tengo que llamar al banco.'],
  ['es', 'Hola Clara, quiero devolver el pedido y recibir el dinero en mi cuenta.'],
  ['it', 'Puoi mandare il preventivo a Marco entro domani?'],
  ['nl', 'Kun je de offerte vandaag nog naar Jan sturen, alsjeblieft?'],
  ['pt', 'Podes enviar o orçamento ao João, por favor?'],
  ['pl', 'Proszę wyślij ofertę do Anny jeszcze dzisiaj.'],
  ['ja', '金曜日に銀行に電話するよう思い出させてください'],
  ['zh', '请把报价发给李先生。'],
];

describe('the language of a conversation', () => {
  it.each(SENTENCES)('%s: %s', (language, text) => {
    expect(languageOf([text])).toBe(language);
  });

  it.each([
    ...['¿Está lista mi bicicleta?', 'Quisiera saber si mi bicicleta está lista.', '¿Me puede llamar mañana?'],
    ...['Hola, ¿a qué hora abren?', 'Necesito la factura de marzo, gracias.', 'Envíame la factura, por favor.'],
    ...['¿Cuánto cuesta la reparación de una bicicleta?', 'Quiero anular mi pedido.'],
  ])('is told by one sentence in Spanish: %j', (text) => {
    expect(languageOf([text], 'de')).toBe('es');
  });

  it.each([
    ...['Necesito cambiar la cita del martes.', 'La Paz delivery confirmation del Mar', 'Meeting with José Muñoz'],
    ...['Order San Pellegrino, ¡vamos!', 'Reserva Paz Grande del Mar'],
  ])('is in doubt that of the persona: %j', (text) => {
    expect(languageOf([text], 'de')).toBe('de');
    expect(languageOf([text], 'ja')).toBe('ja');
  });

  it.each([
    ...['Please mail Carol about lunch again.', 'Please mail Luigi Bianchi about dinner'],
    ...['Please book a hotel in Kiel', 'Book a hotel in Kiel, please'],
    'Reservation confirmation Kiel Hamburg',
  ])('is not told by the letters of names: %j is in the language of the persona', (text) => {
    expect(languageOf([text])).toBe('en');
    expect(languageOf([text], 'de')).toBe('de');
  });

  it('is not that of hashes, addresses or data', () => {
    const data =
      '/send_email {"to":["carl@elsewhere.example"],"subject":"Plan","body":"Dear Carl","attachments":["att_d22efd68b149"]}';
    expect(languageOf([data])).toBe('en');
    expect(languageOf([`Bitte schick das hier an Carl, so wie es ist: ${data}`])).toBe('de');
  });

  it.each(['ok', 'Hello', 'Hi', 'Ja', 'Read notes.md', '', '12,50', 'carl@x.example'])(
    'says nothing of %j, and the next text or the fallback decides',
    (text) => {
      expect(languageOf([text])).toBe('en');
      expect(languageOf([text], 'de')).toBe('de');
      expect(languageOf([text, 'Bitte schick Carl das Angebot noch heute.'])).toBe('de');
    },
  );

  it('is told by common words where there are enough of one language, and else by letters', () => {
    const long: readonly (readonly [Language, string])[] = [
      ['en', 'The figures of the south are below the plan. Can you tell me if it was for the order that we lost?'],
      ['de', 'Die Zahlen für den Süden sind nicht gut, und ich bitte dich, mit der Region zu reden.'],
      ['fr', 'Les chiffres du sud ne sont pas bons, et je vous prie de voir avec la région pour le plan.'],
      ['es', 'Las cifras del sur no son buenas, y te pido que hables con la región para el plan, como los otros.'],
      [
        'it',
        'Le cifre del sud non sono buone, e ti chiedo di parlare con la regione per il piano della prossima volta.',
      ],
      ['nl', 'De cijfers van het zuiden zijn niet goed, en ik vraag je om met de regio te praten voor het plan.'],
      [
        'pt',
        'Os números do sul não são bons, e peço que fale com a região para o plano, mas por favor não se apresse.',
      ],
      ['pl', 'Te liczby nie są dobre, ale proszę nie mów o tym od razu, bo jest już po planie i co z tego będzie.'],
    ];
    expect(long.map(([, text]) => languageByCommonWords(text))).toEqual(long.map(([language]) => language));
    expect(long.map(([, text]) => languageOf([text]))).toEqual(long.map(([language]) => language));
    // Too few, and two languages level with each other.
    expect(languageByCommonWords('Please mail Carol that lunch is at twelve.')).toBeNull();
    const both = 'The plan of the year is not for you. Der Plan ist nicht für dich und nicht für die Region.';
    expect(languageByCommonWords(both)).toBeNull();
  });
});
