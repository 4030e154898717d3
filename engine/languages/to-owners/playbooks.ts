import type { Wording } from '../language.ts';

/** What an owner is shown of a playbook before agreeing to it. */
interface PlaybookWords {
  title(kind: string, version: number): string;
  says(said: string): string;
  does(call: string, when: string): string;
  never(tool: string, when: string): string;
  readonly always: string;
  when(all: string): string;
  readonly byRules: string;
}

export const PLAYBOOK_WORDS: Wording<PlaybookWords> = {
  en: {
    title: (kind, version) => `Way of working for later mail of the kind "${kind}" (version ${version})`,
    says: (said) => `In your words: ${said}`,
    does: (call, when) => `By itself: ${call} (${when})`,
    never: (tool, when) => `Never: ${tool} (${when})`,
    always: 'for every such mail',
    when: (all) => `only where ${all}`,
    byRules: 'Each call goes by the same rules as ever, and what needs your yes is asked about.',
  },
  de: {
    title: (kind, version) => `Arbeitsweise für künftige Mails der Art „${kind}“ (Version ${version})`,
    says: (said) => `In Ihren Worten: ${said}`,
    does: (call, when) => `Von selbst: ${call} (${when})`,
    never: (tool, when) => `Nie: ${tool} (${when})`,
    always: 'bei jeder solchen Mail',
    when: (all) => `nur wo ${all}`,
    byRules: 'Für jeden Aufruf gelten die üblichen Regeln; was Ihr Ja braucht, wird gefragt.',
  },
  fr: {
    title: (kind, version) =>
      `Façon de travailler pour les prochains courriels du type « ${kind} » (version ${version})`,
    says: (said) => `Avec vos mots : ${said}`,
    does: (call, when) => `De lui-même : ${call} (${when})`,
    never: (tool, when) => `Jamais : ${tool} (${when})`,
    always: 'pour chaque courriel de ce type',
    when: (all) => `seulement si ${all}`,
    byRules: 'Chaque appel suit les règles habituelles ; ce qui demande votre accord vous est demandé.',
  },
  es: {
    title: (kind, version) => `Modo de trabajar con los próximos correos del tipo «${kind}» (versión ${version})`,
    says: (said) => `Con sus palabras: ${said}`,
    does: (call, when) => `Por sí mismo: ${call} (${when})`,
    never: (tool, when) => `Nunca: ${tool} (${when})`,
    always: 'con cada correo así',
    when: (all) => `solo si ${all}`,
    byRules: 'Cada llamada sigue las reglas de siempre; lo que necesita su sí se le pregunta.',
  },
  it: {
    title: (kind, version) => `Modo di lavorare per le prossime mail del tipo "${kind}" (versione ${version})`,
    says: (said) => `Con le Sue parole: ${said}`,
    does: (call, when) => `Da sé: ${call} (${when})`,
    never: (tool, when) => `Mai: ${tool} (${when})`,
    always: 'per ogni mail di questo tipo',
    when: (all) => `solo se ${all}`,
    byRules: 'Ogni chiamata segue le regole di sempre; ciò che richiede il Suo sì viene chiesto.',
  },
  nl: {
    title: (kind, version) => `Werkwijze voor latere mail van de soort "${kind}" (versie ${version})`,
    says: (said) => `In uw woorden: ${said}`,
    does: (call, when) => `Vanzelf: ${call} (${when})`,
    never: (tool, when) => `Nooit: ${tool} (${when})`,
    always: 'bij elke zulke mail',
    when: (all) => `alleen waar ${all}`,
    byRules: 'Voor elke aanroep gelden de gewone regels; wat uw ja nodig heeft, wordt gevraagd.',
  },
  pt: {
    title: (kind, version) => `Modo de trabalhar para os próximos e-mails do tipo "${kind}" (versão ${version})`,
    says: (said) => `Nas suas palavras: ${said}`,
    does: (call, when) => `Por si: ${call} (${when})`,
    never: (tool, when) => `Nunca: ${tool} (${when})`,
    always: 'em cada e-mail destes',
    when: (all) => `só se ${all}`,
    byRules: 'Cada chamada segue as regras de sempre; o que precisa do seu sim é perguntado.',
  },
  pl: {
    title: (kind, version) => `Sposób pracy z kolejną pocztą rodzaju „${kind}” (wersja ${version})`,
    says: (said) => `Twoimi słowami: ${said}`,
    does: (call, when) => `Samo z siebie: ${call} (${when})`,
    never: (tool, when) => `Nigdy: ${tool} (${when})`,
    always: 'przy każdej takiej wiadomości',
    when: (all) => `tylko gdy ${all}`,
    byRules: 'Każde wywołanie podlega zwykłym regułom; co wymaga zgody, o to jest pytanie.',
  },
  ja: {
    title: (kind, version) => `種類「${kind}」の今後のメールの処理方法（バージョン${version}）`,
    says: (said) => `ご指示の言葉：${said}`,
    does: (call, when) => `自動で行うこと：${call}（${when}）`,
    never: (tool, when) => `行わないこと：${tool}（${when}）`,
    always: '該当するすべてのメール',
    when: (all) => `${all} の場合のみ`,
    byRules: '各操作には通常の規則が適用され、承認が必要なものはお尋ねします。',
  },
  zh: {
    title: (kind, version) => `以后处理“${kind}”类邮件的方式（版本 ${version}）`,
    says: (said) => `您的原话：${said}`,
    does: (call, when) => `自动执行：${call}（${when}）`,
    never: (tool, when) => `从不执行：${tool}（${when}）`,
    always: '每封此类邮件',
    when: (all) => `仅当 ${all}`,
    byRules: '每次调用仍遵循一贯的规则；需要您同意的事会先询问。',
  },
};
