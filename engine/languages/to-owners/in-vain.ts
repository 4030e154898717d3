import type { Wording } from '../language.ts';

interface InVainWords {
  subject(about: string): string;
  /** `about`: the subject in quotes with who wrote it; `lines`: what was not done, with why. */
  text(about: string, lines: string): string;
}

/** What owners are told of a yes of theirs that came to nothing. */
export const IN_VAIN: Wording<InVainWords> = {
  en: {
    subject: (about) => `Not done after your yes: "${about}"`,
    text: (about, lines) =>
      `An owner agreed to this for the mail ${about}, and it could not be done any more:\n\n${lines}\n\nI do not try it again by myself. If it is still wanted, write to me.`,
  },
  de: {
    subject: (about) => `Trotz Ihres Ja nicht erledigt: „${about}“`,
    text: (about, lines) =>
      `Dem hat ein Inhaber für die Mail ${about} zugestimmt, und es ließ sich nicht mehr tun:\n\n${lines}\n\nVon selbst versuche ich es nicht noch einmal. Wenn es noch gewünscht ist, schreiben Sie mir.`,
  },
  fr: {
    subject: (about) => `Pas fait malgré votre oui : « ${about} »`,
    text: (about, lines) =>
      `Un propriétaire avait donné son accord pour le message ${about}, et cela n’a plus pu être fait :\n\n${lines}\n\nJe ne réessaie pas de moi-même. Si c’est toujours souhaité, écrivez-moi.`,
  },
  es: {
    subject: (about) => `No hecho pese a su sí: «${about}»`,
    text: (about, lines) =>
      `Un propietario dio su acuerdo para el correo ${about}, y ya no se pudo hacer:\n\n${lines}\n\nNo lo intento otra vez por mi cuenta. Si todavía se desea, escríbame.`,
  },
  it: {
    subject: (about) => `Non fatto nonostante il suo sì: «${about}»`,
    text: (about, lines) =>
      `Un proprietario ha dato il suo consenso per la mail ${about}, e non è stato più possibile farlo:\n\n${lines}\n\nNon ci riprovo da solo. Se serve ancora, mi scriva.`,
  },
  nl: {
    subject: (about) => `Ondanks uw ja niet gedaan: "${about}"`,
    text: (about, lines) =>
      `Een eigenaar heeft hiermee ingestemd voor de mail ${about}, en het kon niet meer worden gedaan:\n\n${lines}\n\nIk probeer het niet uit mezelf opnieuw. Als het nog gewenst is, schrijf me dan.`,
  },
  pt: {
    subject: (about) => `Não feito apesar do seu sim: «${about}»`,
    text: (about, lines) =>
      `Um proprietário concordou com isto para o e-mail ${about}, e já não foi possível fazê-lo:\n\n${lines}\n\nNão volto a tentar por mim. Se ainda for desejado, escreva-me.`,
  },
  pl: {
    subject: (about) => `Mimo zgody niewykonane: „${about}”`,
    text: (about, lines) =>
      `Właściciel zgodził się na to w sprawie wiadomości ${about}, a nie dało się już tego zrobić:\n\n${lines}\n\nNie próbuję ponownie z własnej inicjatywy. Jeśli to nadal potrzebne, proszę do mnie napisać.`,
  },
  ja: {
    subject: (about) => `承認後に実行できませんでした:「${about}」`,
    text: (about, lines) =>
      `メール${about}について所有者の承認がありましたが、実行できなくなっていました。\n\n${lines}\n\n自動では再試行しません。まだ必要でしたら、ご連絡ください。`,
  },
  zh: {
    subject: (about) => `批准后未能执行：“${about}”`,
    text: (about, lines) =>
      `所有者已就邮件${about}同意此事，但已无法执行：\n\n${lines}\n\n我不会自行重试。如果仍然需要，请写信给我。`,
  },
};
