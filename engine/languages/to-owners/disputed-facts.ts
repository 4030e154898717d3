import type { Language } from '../language.ts';

interface DisputedWords {
  readonly subject: string;
  /** `known` is what the persona goes on believing. */
  text(known: string, said: string, who: string): string;
  /** How it is settled. */
  cure(known: string, said: string): string;
}

const commands = (known: string, said: string) =>
  `\`epistle memory forget ${known}\` / \`epistle memory forget ${said}\``;

/** What owners are asked once when two things that a persona was told cannot both be so. */
export const DISPUTED: Readonly<Record<Language, DisputedWords>> = {
  en: {
    subject: 'Two things that I was told do not agree',
    text: (known, said, who) =>
      `I remember: “${known}”. ${who} has told me: “${said}”. Until you say which holds, I go by the first.`,
    cure: (known, said) => `Write to me which is right, or let me forget one of them: ${commands(known, said)}.`,
  },
  de: {
    subject: 'Zwei Angaben widersprechen sich',
    text: (known, said, who) =>
      `Ich habe mir gemerkt: „${known}“. ${who} hat mir gesagt: „${said}“. Bis Sie sagen, was gilt, halte ich mich an das Erste.`,
    cure: (known, said) =>
      `Schreiben Sie mir, was stimmt, oder lassen Sie mich eines davon vergessen: ${commands(known, said)}.`,
  },
  fr: {
    subject: 'Deux informations se contredisent',
    text: (known, said, who) =>
      `J’ai retenu : « ${known} ». ${who} m’a dit : « ${said} ». Tant que vous n’avez pas tranché, je m’en tiens à la première.`,
    cure: (known, said) =>
      `Écrivez-moi laquelle est juste, ou faites-moi oublier l’une d’elles : ${commands(known, said)}.`,
  },
  es: {
    subject: 'Dos datos se contradicen',
    text: (known, said, who) =>
      `Tengo anotado: «${known}». ${who} me ha dicho: «${said}». Hasta que usted decida, me atengo a lo primero.`,
    cure: (known, said) => `Escríbame cuál es correcto, o haga que olvide uno de ellos: ${commands(known, said)}.`,
  },
  it: {
    subject: 'Due informazioni si contraddicono',
    text: (known, said, who) =>
      `Ricordo: «${known}». ${who} mi ha detto: «${said}». Finché non decide, mi attengo alla prima.`,
    cure: (known, said) => `Mi scriva quale è giusta, o mi faccia dimenticare una delle due: ${commands(known, said)}.`,
  },
  nl: {
    subject: 'Twee dingen die mij verteld zijn, spreken elkaar tegen',
    text: (known, said, who) =>
      `Ik heb onthouden: “${known}”. ${who} heeft mij gezegd: “${said}”. Tot u zegt wat klopt, houd ik mij aan het eerste.`,
    cure: (known, said) => `Schrijf mij wat klopt, of laat mij een van beide vergeten: ${commands(known, said)}.`,
  },
  pt: {
    subject: 'Duas informações contradizem-se',
    text: (known, said, who) => `Guardei: «${known}». ${who} disse-me: «${said}». Até que decida, fico com a primeira.`,
    cure: (known, said) => `Escreva-me qual está certa, ou faça-me esquecer uma delas: ${commands(known, said)}.`,
  },
  pl: {
    subject: 'Dwie informacje są ze sobą sprzeczne',
    text: (known, said, who) =>
      `Pamiętam: „${known}”. ${who} napisał(a) mi: „${said}”. Dopóki nie dowiem się, co jest prawdą, trzymam się pierwszej.`,
    cure: (known, said) =>
      `Proszę napisać, która jest prawdziwa, albo kazać mi zapomnieć jedną z nich: ${commands(known, said)}.`,
  },
  ja: {
    subject: '伺った内容が食い違っています',
    text: (known, said, who) =>
      `「${known}」と記憶しています。${who} からは「${said}」と伺いました。ご指示があるまでは、前者として扱います。`,
    cure: (known, said) => `どちらが正しいかをお知らせいただくか、一方を忘れさせてください：${commands(known, said)}`,
  },
  zh: {
    subject: '有两条信息互相矛盾',
    text: (known, said, who) => `我记得：“${known}”。${who} 告诉我：“${said}”。在您说明之前，我以前者为准。`,
    cure: (known, said) => `请写信告诉我哪一条正确，或让我忘记其中一条：${commands(known, said)}。`,
  },
};
