import type { Wording } from '../language.ts';

export interface RelayWords {
  /** `Jana Ritzel <jana@example.com>`, and the subject of our mail. */
  answered(who: string, subject: string): string;
  /** Characters of the answer that were left out. */
  more(count: number): string;
  attachments(count: number): string;
  /** What became of it on our side: an answer to it has left, none will, or it is not decided yet. */
  readonly replied: string;
  readonly silent: string;
  readonly open: string;
}

/** To the one who asked for a mail: what was answered to it. */
export const RELAY: Wording<RelayWords> = {
  en: {
    answered: (who, subject) => `${who} answered the mail that I sent for you ("${subject}"):`,
    more: (count) => `… and ${count} more ${count === 1 ? 'character' : 'characters'}.`,
    attachments: (count) =>
      count === 1
        ? 'There is 1 attachment, which I have not passed on.'
        : `There are ${count} attachments, which I have not passed on.`,
    replied: 'I have replied to this mail.',
    silent: 'I have not replied to this mail.',
    open: 'I have not replied to this mail yet.',
  },
  de: {
    answered: (who, subject) => `${who} hat auf die Mail geantwortet, die ich für Sie geschickt habe („${subject}“):`,
    more: (count) => `… und ${count} weitere Zeichen.`,
    attachments: (count) =>
      count === 1
        ? 'Die Antwort hat 1 Anhang, den ich nicht weitergeleitet habe.'
        : `Die Antwort hat ${count} Anhänge, die ich nicht weitergeleitet habe.`,
    replied: 'Ich habe auf diese Mail geantwortet.',
    silent: 'Ich habe auf diese Mail nicht geantwortet.',
    open: 'Ich habe auf diese Mail noch nicht geantwortet.',
  },
  fr: {
    answered: (who, subject) => `${who} a répondu au message que j’ai envoyé pour vous (« ${subject} ») :`,
    more: (count) => (count === 1 ? '… et 1 caractère de plus.' : `… et ${count} caractères de plus.`),
    attachments: (count) =>
      count === 1
        ? 'La réponse comporte 1 pièce jointe, que je n’ai pas transmise.'
        : `La réponse comporte ${count} pièces jointes, que je n’ai pas transmises.`,
    replied: 'J’ai répondu à ce message.',
    silent: 'Je n’ai pas répondu à ce message.',
    open: 'Je n’ai pas encore répondu à ce message.',
  },
  es: {
    answered: (who, subject) => `${who} ha respondido al correo que envié en su nombre («${subject}»):`,
    more: (count) => (count === 1 ? '… y 1 carácter más.' : `… y ${count} caracteres más.`),
    attachments: (count) =>
      count === 1
        ? 'La respuesta trae 1 archivo adjunto, que no he reenviado.'
        : `La respuesta trae ${count} archivos adjuntos, que no he reenviado.`,
    replied: 'He respondido a este correo.',
    silent: 'No he respondido a este correo.',
    open: 'Todavía no he respondido a este correo.',
  },
  it: {
    answered: (who, subject) => `${who} ha risposto alla mail che ho inviato per Lei («${subject}»):`,
    more: (count) => (count === 1 ? '… e 1 altro carattere.' : `… e altri ${count} caratteri.`),
    attachments: (count) =>
      count === 1
        ? 'La risposta ha 1 allegato, che non ho inoltrato.'
        : `La risposta ha ${count} allegati, che non ho inoltrato.`,
    replied: 'Ho risposto a questa mail.',
    silent: 'Non ho risposto a questa mail.',
    open: 'Non ho ancora risposto a questa mail.',
  },
  nl: {
    answered: (who, subject) => `${who} heeft geantwoord op de mail die ik voor u heb gestuurd (‘${subject}’):`,
    more: (count) => (count === 1 ? '… en nog 1 teken.' : `… en nog ${count} tekens.`),
    attachments: (count) =>
      count === 1
        ? 'Bij het antwoord zit 1 bijlage, die ik niet heb doorgestuurd.'
        : `Bij het antwoord zitten ${count} bijlagen, die ik niet heb doorgestuurd.`,
    replied: 'Ik heb deze mail beantwoord.',
    silent: 'Ik heb deze mail niet beantwoord.',
    open: 'Ik heb deze mail nog niet beantwoord.',
  },
  pt: {
    answered: (who, subject) => `${who} respondeu ao e-mail que enviei a seu pedido ("${subject}"):`,
    more: (count) => (count === 1 ? '… e mais 1 caractere.' : `… e mais ${count} caracteres.`),
    attachments: (count) =>
      count === 1
        ? 'A resposta traz 1 anexo, que não reencaminhei.'
        : `A resposta traz ${count} anexos, que não reencaminhei.`,
    replied: 'Respondi a este e-mail.',
    silent: 'Não respondi a este e-mail.',
    open: 'Ainda não respondi a este e-mail.',
  },
  pl: {
    answered: (who, subject) => `Przyszła odpowiedź od ${who} na wiadomość wysłaną na Twoją prośbę („${subject}”):`,
    more: (count) => `… (pominięte znaki: ${count}).`,
    attachments: (count) => `Załączniki w odpowiedzi: ${count}. Nie są przekazane dalej.`,
    replied: 'Moja odpowiedź na tę wiadomość została już wysłana.',
    silent: 'Ta wiadomość pozostała bez mojej odpowiedzi.',
    open: 'Nie ma jeszcze mojej odpowiedzi na tę wiadomość.',
  },
  ja: {
    answered: (who, subject) => `ご依頼により私がお送りしたメール（「${subject}」）に、${who} から返信がありました：`,
    more: (count) => `…（残り${count}文字は省略しました）`,
    attachments: (count) => `返信には添付ファイルが${count}件ありますが、転送していません。`,
    replied: 'このメールには私から返信しました。',
    silent: 'このメールには返信していません。',
    open: 'このメールにはまだ返信していません。',
  },
  zh: {
    answered: (who, subject) => `${who} 回复了我代您发送的邮件（“${subject}”）：`,
    more: (count) => `……还有 ${count} 个字符未显示。`,
    attachments: (count) => `该回复带有 ${count} 个附件，我没有转发。`,
    replied: '我已回复这封邮件。',
    silent: '我没有回复这封邮件。',
    open: '我还没有回复这封邮件。',
  },
};
