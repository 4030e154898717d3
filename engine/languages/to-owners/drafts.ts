import type { Language, Wording } from '../language.ts';

/** What owners are told of an answer that is put into Drafts. */
export interface DraftWords {
  lies(
    subject: string,
    where: { readonly to: string; readonly folder: string; readonly mailbox: string },
  ): { readonly subject: string; readonly text: string };
  failed(
    subject: string,
    what: {
      readonly to: string;
      readonly mailbox: string;
      readonly why: 'no_imap' | 'no_drafts_folder' | 'given_up';
      /** What the server, or the line, said. */
      readonly error: string;
      readonly outboxId: string;
    },
  ): { readonly subject: string; readonly text: string };
}

interface Phrases {
  readonly draft: string;
  readonly none: string;
  lies(subject: string, to: string, folder: string, mailbox: string): string;
  failed(subject: string, to: string, mailbox: string): string;
  readonly why: {
    readonly no_imap: string;
    readonly no_drafts_folder: string;
    given_up(error: string): string;
  };
  again(command: string): string;
}

const asWords = (phrases: Phrases): DraftWords => ({
  lies: (subject, { to, folder, mailbox }) => ({
    subject: `${phrases.draft} "${subject}"`,
    text: phrases.lies(subject, to, folder, mailbox),
  }),
  failed: (subject, { to, mailbox, why, error, outboxId }) => ({
    subject: `${phrases.none} "${subject}"`,
    text: [
      phrases.failed(subject, to, mailbox),
      why === 'given_up' ? phrases.why.given_up(error) : phrases.why[why],
      phrases.again(`\`epistle outbox retry ${outboxId}\``),
    ].join('\n\n'),
  }),
});

const PHRASES: Wording<Phrases> = {
  en: {
    draft: 'Draft:',
    none: 'No draft:',
    lies: (subject, to, folder, mailbox) =>
      `My answer "${subject}" to ${to} lies in the folder ${folder} of the mailbox ${mailbox}. Nobody has got it. Change it there as you like and send it, or delete it: I notice either.`,
    failed: (subject, to, mailbox) =>
      `My answer "${subject}" to ${to} could not be put into the drafts of the mailbox ${mailbox}. Nobody has got it.`,
    why: {
      no_imap: 'The mailbox has no "imap" in configs/gateway.json. Please add it.',
      no_drafts_folder: 'The mailbox has no folder for drafts. Please make one there, named Drafts.',
      given_up: (error) => `The mailbox did not take it, and I have stopped trying: ${error}.`,
    },
    again: (command) => `Then ${command} puts it there.`,
  },
  de: {
    draft: 'Entwurf:',
    none: 'Kein Entwurf:',
    lies: (subject, to, folder, mailbox) =>
      `Meine Antwort „${subject}“ an ${to} liegt im Ordner ${folder} des Postfachs ${mailbox}. Niemand hat sie bekommen. Ändern Sie sie dort nach Belieben und senden Sie sie, oder löschen Sie sie: Ich bemerke beides.`,
    failed: (subject, to, mailbox) =>
      `Meine Antwort „${subject}“ an ${to} ließ sich nicht in die Entwürfe des Postfachs ${mailbox} legen. Niemand hat sie bekommen.`,
    why: {
      no_imap: 'Das Postfach hat kein "imap" in configs/gateway.json. Bitte tragen Sie es ein.',
      no_drafts_folder: 'Das Postfach hat keinen Ordner für Entwürfe. Bitte legen Sie dort einen namens Drafts an.',
      given_up: (error) => `Das Postfach hat sie nicht angenommen, und ich versuche es nicht weiter: ${error}.`,
    },
    again: (command) => `Danach legt ${command} sie dorthin.`,
  },
  fr: {
    draft: 'Brouillon :',
    none: 'Pas de brouillon :',
    lies: (subject, to, folder, mailbox) =>
      `Ma réponse « ${subject} » à ${to} se trouve dans le dossier ${folder} de la boîte ${mailbox}. Personne ne l'a reçue. Modifiez-la là-bas à votre guise et envoyez-la, ou supprimez-la : je remarque l'un et l'autre.`,
    failed: (subject, to, mailbox) =>
      `Ma réponse « ${subject} » à ${to} n'a pas pu être placée dans les brouillons de la boîte ${mailbox}. Personne ne l'a reçue.`,
    why: {
      no_imap: 'La boîte n\'a pas de "imap" dans configs/gateway.json. Veuillez l\'ajouter.',
      no_drafts_folder: "La boîte n'a pas de dossier pour les brouillons. Veuillez y en créer un, nommé Drafts.",
      given_up: (error) => `La boîte ne l'a pas acceptée, et je n'essaie plus : ${error}.`,
    },
    again: (command) => `Ensuite, ${command} l'y place.`,
  },
  es: {
    draft: 'Borrador:',
    none: 'Sin borrador:',
    lies: (subject, to, folder, mailbox) =>
      `Mi respuesta «${subject}» a ${to} está en la carpeta ${folder} del buzón ${mailbox}. Nadie la ha recibido. Cámbiela allí como quiera y envíela, o bórrela: noto ambas cosas.`,
    failed: (subject, to, mailbox) =>
      `Mi respuesta «${subject}» a ${to} no se pudo poner en los borradores del buzón ${mailbox}. Nadie la ha recibido.`,
    why: {
      no_imap: 'El buzón no tiene "imap" en configs/gateway.json. Añádalo, por favor.',
      no_drafts_folder: 'El buzón no tiene carpeta de borradores. Cree allí una llamada Drafts, por favor.',
      given_up: (error) => `El buzón no la aceptó y ya no lo intento: ${error}.`,
    },
    again: (command) => `Después, ${command} la pone allí.`,
  },
  it: {
    draft: 'Bozza:',
    none: 'Nessuna bozza:',
    lies: (subject, to, folder, mailbox) =>
      `La mia risposta «${subject}» a ${to} è nella cartella ${folder} della casella ${mailbox}. Nessuno l'ha ricevuta. La modifichi lì come vuole e la invii, oppure la cancelli: mi accorgo di entrambe le cose.`,
    failed: (subject, to, mailbox) =>
      `Non è stato possibile mettere la mia risposta «${subject}» a ${to} nelle bozze della casella ${mailbox}. Nessuno l'ha ricevuta.`,
    why: {
      no_imap: 'La casella non ha "imap" in configs/gateway.json. La preghiamo di aggiungerlo.',
      no_drafts_folder: 'La casella non ha una cartella per le bozze. Ne crei una di nome Drafts.',
      given_up: (error) => `La casella non l'ha accettata e non riprovo più: ${error}.`,
    },
    again: (command) => `Poi ${command} la mette lì.`,
  },
  nl: {
    draft: 'Concept:',
    none: 'Geen concept:',
    lies: (subject, to, folder, mailbox) =>
      `Mijn antwoord "${subject}" aan ${to} ligt in de map ${folder} van het postvak ${mailbox}. Niemand heeft het gekregen. Wijzig het daar zoals u wilt en verzend het, of verwijder het: ik merk beide.`,
    failed: (subject, to, mailbox) =>
      `Mijn antwoord "${subject}" aan ${to} kon niet bij de concepten van het postvak ${mailbox} worden gelegd. Niemand heeft het gekregen.`,
    why: {
      no_imap: 'Het postvak heeft geen "imap" in configs/gateway.json. Voeg het alstublieft toe.',
      no_drafts_folder: 'Het postvak heeft geen map voor concepten. Maak er daar een met de naam Drafts.',
      given_up: (error) => `Het postvak heeft het niet aangenomen, en ik probeer het niet meer: ${error}.`,
    },
    again: (command) => `Daarna legt ${command} het daar.`,
  },
  pt: {
    draft: 'Rascunho:',
    none: 'Sem rascunho:',
    lies: (subject, to, folder, mailbox) =>
      `A minha resposta "${subject}" a ${to} está na pasta ${folder} da caixa ${mailbox}. Ninguém a recebeu. Altere-a lá como quiser e envie-a, ou apague-a: reparo em ambas as coisas.`,
    failed: (subject, to, mailbox) =>
      `Não foi possível pôr a minha resposta "${subject}" a ${to} nos rascunhos da caixa ${mailbox}. Ninguém a recebeu.`,
    why: {
      no_imap: 'A caixa não tem "imap" em configs/gateway.json. Acrescente-o, por favor.',
      no_drafts_folder: 'A caixa não tem pasta de rascunhos. Crie lá uma chamada Drafts, por favor.',
      given_up: (error) => `A caixa não a aceitou, e já não tento mais: ${error}.`,
    },
    again: (command) => `Depois, ${command} põe-na lá.`,
  },
  pl: {
    draft: 'Szkic:',
    none: 'Brak szkicu:',
    lies: (subject, to, folder, mailbox) =>
      `Moja odpowiedź „${subject}” do ${to} leży w folderze ${folder} skrzynki ${mailbox}. Nikt jej nie dostał. Można ją tam zmienić i wysłać albo usunąć: zauważę jedno i drugie.`,
    failed: (subject, to, mailbox) =>
      `Mojej odpowiedzi „${subject}” do ${to} nie udało się umieścić w szkicach skrzynki ${mailbox}. Nikt jej nie dostał.`,
    why: {
      no_imap: 'Skrzynka nie ma "imap" w configs/gateway.json. Proszę je dodać.',
      no_drafts_folder: 'Skrzynka nie ma folderu na szkice. Proszę utworzyć tam folder o nazwie Drafts.',
      given_up: (error) => `Skrzynka jej nie przyjęła i już nie próbuję: ${error}.`,
    },
    again: (command) => `Potem ${command} ją tam umieści.`,
  },
  ja: {
    draft: '下書き:',
    none: '下書きなし:',
    lies: (subject, to, folder, mailbox) =>
      `${to} への返信「${subject}」は、メールボックス ${mailbox} のフォルダー ${folder} にあります。まだ誰にも届いていません。そこで自由に直して送信するか、削除してください。どちらも私が確認します。`,
    failed: (subject, to, mailbox) =>
      `${to} への返信「${subject}」を、メールボックス ${mailbox} の下書きに置けませんでした。誰にも届いていません。`,
    why: {
      no_imap: 'configs/gateway.json でこのメールボックスに "imap" がありません。追加してください。',
      no_drafts_folder: 'このメールボックスには下書き用のフォルダーがありません。Drafts という名前で作成してください。',
      given_up: (error) => `メールボックスが受け付けなかったため、試行をやめました: ${error}。`,
    },
    again: (command) => `その後、${command} でそこに置かれます。`,
  },
  zh: {
    draft: '草稿：',
    none: '没有草稿：',
    lies: (subject, to, folder, mailbox) =>
      `我给 ${to} 的答复“${subject}”在邮箱 ${mailbox} 的文件夹 ${folder} 里，还没有人收到。您可以在那里修改后发送，也可以删除：两种情况我都会注意到。`,
    failed: (subject, to, mailbox) => `我给 ${to} 的答复“${subject}”没能放进邮箱 ${mailbox} 的草稿，没有人收到。`,
    why: {
      no_imap: 'configs/gateway.json 中这个邮箱没有 "imap"，请添加。',
      no_drafts_folder: '这个邮箱没有草稿文件夹，请在那里新建一个名为 Drafts 的文件夹。',
      given_up: (error) => `邮箱没有接受，我已不再尝试：${error}。`,
    },
    again: (command) => `之后，${command} 会把它放到那里。`,
  },
};

export const draftWords = (language: Language): DraftWords => asWords(PHRASES[language]);
