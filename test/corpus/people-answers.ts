/**
 * How people write under a question of theirs: one hundred answers in ten languages, ten in each, written before anybody
 * looked at how they are read. `ask` is an answer of which nobody could be sure what is wanted: it has to be asked about.
 * The numbers after the verdict are the items it is about; the notice lists 1 to `of`.
 */
export interface PeopleAnswer {
  readonly language: string;
  readonly of: number;
  readonly verdict: 'approve' | 'deny' | 'edit' | 'ask' | 'approve+deny' | 'approve+edit';
  readonly approve: readonly number[];
  readonly deny: readonly number[];
  readonly text: string;
}

const ask = (language: string, of: number, text: string): PeopleAnswer => ({
  language,
  of,
  verdict: 'ask',
  approve: [],
  deny: [],
  text,
});
const yes = (language: string, of: number, text: string, approve = numbers(of)): PeopleAnswer => ({
  language,
  of,
  verdict: 'approve',
  approve,
  deny: [],
  text,
});
const no = (language: string, of: number, text: string, deny = numbers(of)): PeopleAnswer => ({
  language,
  of,
  verdict: 'deny',
  approve: [],
  deny,
  text,
});
const mixed = (language: string, of: number, text: string, approve: number[], deny: number[]): PeopleAnswer => ({
  language,
  of,
  verdict: 'approve+deny',
  approve,
  deny,
  text,
});
const edit = (language: string, of: number, text: string, approve: number[] = []): PeopleAnswer => ({
  language,
  of,
  verdict: approve.length > 0 ? 'approve+edit' : 'edit',
  approve,
  deny: [],
  text,
});

function numbers(of: number): number[] {
  return Array.from({ length: of }, (_, index) => index + 1);
}

export const peopleAnswers: readonly PeopleAnswer[] = [
  yes('en', 1, 'Yes, send it.\n\nThanks,\nMaria\n\nSent from my iPhone'),
  yes('en', 1, 'Sounds good, please go ahead.\n\nBest,\nTom Baker\nOperations\n+44 20 7946 0123'),
  no('en', 1, "No, please don't send this yet. The price on page two is still wrong.\n\nTom"),
  ask('en', 1, "I'd say yes, but can you check with Priya first?\n\nM."),
  ask('en', 1, 'Oh sure, because that went so well last time.'),
  ask('en', 1, 'Thanks a lot for letting me know!\n\nMaria'),
  ask('en', 1, 'I am out of the office until 7 December. In urgent cases please write to yes@example.com.'),
  mixed('en', 3, 'Hi Ada,\n\napprove 1 and 3\ndeny 2 - that one is a duplicate\n\nCheers\nTom', [1, 3], [2]),
  edit(
    'en',
    2,
    'approve 2\nedit 1\nsubject: Our offer for the spring\nbody: Dear Carl,\n\nplease find our new offer below.\n\nThe delivery takes two weeks.\n\nBest regards\nTom',
    [2],
  ),
  ask('en', 2, 'Approve 2. In number 1 please change the subject to "Spring offer".'),

  yes('de', 3, 'Ja, alle löschen bitte.\n\nViele Grüße\nMaria'),
  yes('de', 1, 'Ja, kannst du so rausschicken.\n\nLG Maria\n\nVon meinem iPhone gesendet'),
  yes('de', 1, 'Passt, bitte abschicken. Danke dir!'),
  no('de', 1, 'Nein, bitte noch nicht abschicken, ich will erst mit Jana reden.\n\nGruß\nMaria'),
  no('de', 1, 'Das bitte nicht freigeben!'),
  ask('de', 1, 'Ja, wenn Tim einverstanden ist.'),
  ask('de', 1, 'Wer hat das denn beauftragt? Ja, wir hatten darüber gesprochen, aber nicht so.'),
  ask('de', 2, 'Die erste ja, die andere eher nicht.'),
  ask('de', 1, 'Na klar, und morgen schenken wir ihm noch ein Auto dazu.'),
  mixed('de', 2, 'Hallo Ada,\n\n1: ja\n2: nein\n\nMit freundlichen Grüßen\nM. Keller', [1], [2]),

  yes('fr', 1, "Oui, c'est parfait, tu peux envoyer.\n\nMerci\nCamille"),
  yes('fr', 1, "Bonjour Ada,\n\nC'est d'accord pour moi.\n\nBien cordialement,\nCamille Durand\nDirectrice"),
  yes('fr', 2, 'Oui pour les deux.'),
  no('fr', 1, "Non, surtout pas. Le client n'a rien demandé.\n\nCamille"),
  no('fr', 1, "Non merci, ce n'est plus nécessaire."),
  ask('fr', 1, 'Oui, dès que Paul aura donné son feu vert.\n\nEnvoyé de mon iPhone'),
  ask('fr', 1, 'Pourquoi supprimer ce fichier ?'),
  ask('fr', 1, "Je suis absente jusqu'au 3 décembre et ne lis pas mes mails."),
  no('fr', 1, "Je ne suis pas d'accord avec cet envoi."),
  yes(
    'fr',
    1,
    'Ok pour moi, vas-y !\n\nLe 21 nov. 2026 à 12:00, Ada <ada@agents.localhost> a écrit :\n\n> Faut-il envoyer ce mail ?\n> non',
  ),

  yes('es', 1, 'Sí, envíalo, por favor.\n\nGracias\nLucía'),
  yes('es', 1, 'Hola Ada:\n\nAdelante, me parece bien.\n\nUn saludo,\nLucía Gómez'),
  yes('es', 2, 'Sí, apruebo los dos.'),
  no('es', 1, 'No, no lo envíes todavía.'),
  no('es', 1, 'No, gracias. Ya lo he hecho yo.\n\nEnviado desde mi iPhone'),
  ask('es', 1, 'Sí, siempre y cuando el precio no suba.'),
  ask('es', 1, '¿Quién es Carl?'),
  ask('es', 3, 'Todos menos el 2.'),
  ask('es', 1, 'Muchas gracias por avisar.'),
  edit('es', 1, 'editar 1\nsubject: Nueva oferta\n\nGracias\nLucía'),

  yes('it', 1, 'Sì, mandala pure.\n\nGrazie\nGiulia'),
  yes('it', 1, 'Ciao Ada,\nper me va bene.\n\nSaluti\nGiulia\n\nInviato da iPhone'),
  yes('it', 2, 'Sì a tutti e due'),
  no('it', 1, 'No, meglio di no.\n\nGiulia'),
  no('it', 1, 'Non approvo, il destinatario è sbagliato.'),
  ask('it', 1, 'Sì, ma solo dopo la riunione di lunedì.'),
  ask('it', 1, 'Certo che sì... come no!'),
  ask('it', 1, "A chi va questa mail? Non conosco l'indirizzo."),
  ask('it', 1, 'Sono fuori ufficio fino al 3 dicembre.'),
  mixed('it', 2, 'approvo 1\nrifiuto 2\n\nGrazie\nGiulia', [1], [2]),

  yes('nl', 1, 'Ja hoor, stuur maar.\n\nGroetjes\nSanne'),
  yes('nl', 1, 'Prima, akkoord.\n\nMet vriendelijke groet,\nSanne de Vries\nVerzonden vanaf mijn iPhone'),
  yes('nl', 2, 'Ja, allebei.'),
  no('nl', 1, 'Nee, doe maar niet.'),
  no('nl', 1, 'Niet versturen alsjeblieft, het bedrag klopt niet.\n\nSanne'),
  ask('nl', 1, 'Ja, mits Jan het er ook mee eens is.'),
  ask('nl', 1, 'Wat kost dit?'),
  ask('nl', 3, 'Ja op 1, nee op 2'),
  ask('nl', 1, 'Bedankt voor het bericht!'),
  no('nl', 1, 'Hoi Ada,\n\nDit wil ik niet.\n\nGroet,\nSanne'),

  yes('pt', 1, 'Sim, pode enviar.\n\nObrigada\nInês'),
  yes('pt', 1, 'Bom dia Ada,\n\nEstá aprovado.\n\nCumprimentos\nInês Costa\n\nEnviado do meu iPhone'),
  yes('pt', 2, 'Sim, os dois, por favor'),
  no('pt', 1, 'Não, não envie.'),
  no('pt', 1, 'Não concordo, o valor está errado.'),
  ask('pt', 1, 'Sim, se o Pedro concordar.'),
  ask('pt', 1, 'Quem pediu isto?'),
  ask('pt', 1, 'Pode ser amanhã?'),
  ask('pt', 1, 'Muito obrigada pela informação.'),
  yes('pt', 3, 'Aprovo tudo. Obrigada!'),

  yes('pl', 1, 'Tak, proszę wysłać.\n\nPozdrawiam\nAnna Nowak'),
  yes('pl', 1, 'Dzień dobry,\n\nzgadzam się.\n\nZ poważaniem\nAnna Nowak\n\nWysłane z iPhone’a'),
  yes('pl', 2, 'Tak, oba'),
  no('pl', 1, 'Nie, proszę tego nie wysyłać.'),
  no('pl', 1, 'Nie zgadzam się, kwota jest błędna.'),
  ask('pl', 1, 'Tak, jeśli Tomek się zgodzi.'),
  ask('pl', 1, 'Kto o to prosił?'),
  ask('pl', 3, 'Wszystkie oprócz 2'),
  ask('pl', 1, 'Dziękuję za informację.'),
  yes('pl', 2, 'zatwierdzam 1\nzatwierdzam 2'),

  yes('ja', 1, 'はい、送ってください。\n\nよろしくお願いします。\n佐藤'),
  yes('ja', 1, 'お疲れ様です。\n承認します。\n\n佐藤\n\niPhoneから送信'),
  yes('ja', 3, '全部承認します。'),
  no('ja', 1, 'いいえ、送らないでください。'),
  no('ja', 1, '却下します。金額が間違っています。'),
  ask('ja', 1, '田中さんが同意すれば承認します。'),
  ask('ja', 1, 'これは誰の依頼ですか？'),
  ask('ja', 1, 'ありがとうございます。'),
  ask('ja', 1, '明日確認します。'),
  yes('ja', 1, 'はい、お願いします。'),

  yes('zh', 1, '好的，发吧。\n\n谢谢\n李明'),
  yes('zh', 1, '可以，没问题，请发送。'),
  yes('zh', 3, '全部同意'),
  no('zh', 1, '不要发。'),
  no('zh', 1, '不同意，金额不对。\n\n发自我的iPhone'),
  ask('zh', 1, '如果王总同意就可以。'),
  ask('zh', 1, '这是谁要求的？'),
  ask('zh', 1, '收到，谢谢！'),
  ask('zh', 3, '除了2都可以'),
  mixed('zh', 2, '同意1\n拒绝2', [1], [2]),
];
