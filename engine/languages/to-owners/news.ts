import type { Wording } from '../language.ts';

interface News {
  readonly subject: string;
  readonly opening: string;
  /** By the key that the databases of an earlier build are marked with. */
  readonly items: Readonly<Record<NewsKey, readonly string[]>>;
  /** Of a border that is set under what can be no name. `where`: the id of a mailbox, or the address of a relay. */
  readonly noName: (where: string, value: string) => string;
}

/** What behaves otherwise than in a build that may have worked in the same workspace. */
export type NewsKey = 'whole_answers';

/** What owners are told once, after an upgrade. */
export const NEWS: Wording<News> = {
  en: {
    subject: 'What is different since the upgrade',
    opening: 'Epistle was upgraded. So that nobody can act in your name, this is different now:',
    items: {
      whole_answers: [
        'Before I act on your answer to a question, I look at every line of your mail. If more stands below it than your name and how to reach you, I ask you once more.',
        'STOP and RESUME count in a subject only if your mail began that subject and it says nothing else. RESUME has to be all that the mail says.',
        'Where a mail server says who sent a mail, I believe it only if its words can be read in one way and my own check says the same. If a mail of yours is refused, `epistle why` says why, and `epistle mailbox test` checks the server.',
      ],
    },
    noName: (where, value) =>
      `For ${where} the setting authserv_id is \`${value}\`. No server is called that, so it proves nobody any more, and mail of yours may be refused. \`epistle doctor\` says what to set.`,
  },
  de: {
    subject: 'Was seit dem Update anders ist',
    opening: 'Epistle wurde aktualisiert. Damit niemand in Ihrem Namen handeln kann, ist jetzt Folgendes anders:',
    items: {
      whole_answers: [
        'Bevor ich auf Ihre Antwort hin etwas tue, sehe ich mir jede Zeile Ihrer Mail an. Steht darunter mehr als Ihr Name und wie man Sie erreicht, frage ich noch einmal nach.',
        'STOP und RESUME gelten im Betreff nur, wenn Ihre Mail diesen Betreff begonnen hat und nichts weiter darin steht. RESUME muss alles sein, was in der Mail steht.',
        'Wenn ein Mailserver sagt, von wem eine Mail ist, glaube ich das nur, wenn es sich auf eine einzige Weise lesen lässt und meine eigene Prüfung dasselbe sagt. Wird eine Mail von Ihnen abgelehnt, nennt `epistle why` den Grund, und `epistle mailbox test` prüft den Server.',
      ],
    },
    noName: (where, value) =>
      `Bei ${where} steht in authserv_id \`${value}\`. So heißt kein Server, deshalb weist es niemanden mehr aus, und Mails von Ihnen können abgelehnt werden. \`epistle doctor\` sagt, was einzutragen ist.`,
  },
  fr: {
    subject: 'Ce qui a changé depuis la mise à jour',
    opening: 'Epistle a été mis à jour. Pour que personne ne puisse agir en votre nom, voici ce qui a changé :',
    items: {
      whole_answers: [
        'Avant d’agir sur votre réponse, je regarde chaque ligne de votre message. S’il y a dessous plus que votre nom et vos coordonnées, je vous repose la question.',
        'STOP et RESUME ne comptent dans l’objet que si votre message a commencé cet objet et s’il ne dit rien d’autre. RESUME doit être tout ce que dit le message.',
        'Quand un serveur de messagerie dit qui a envoyé un message, je ne le crois que si ses mots n’ont qu’une lecture possible et si mon propre contrôle dit la même chose. Si un de vos messages est refusé, `epistle why` dit pourquoi et `epistle mailbox test` vérifie le serveur.',
      ],
    },
    noName: (where, value) =>
      `Pour ${where}, le réglage authserv_id vaut \`${value}\`. Aucun serveur ne porte ce nom : il ne prouve donc plus rien, et vos messages peuvent être refusés. \`epistle doctor\` dit quoi y mettre.`,
  },
  es: {
    subject: 'Qué ha cambiado desde la actualización',
    opening: 'Epistle se ha actualizado. Para que nadie pueda actuar en su nombre, esto es distinto ahora:',
    items: {
      whole_answers: [
        'Antes de hacer algo por su respuesta, miro cada línea de su correo. Si debajo hay más que su nombre y sus datos de contacto, vuelvo a preguntarle.',
        'STOP y RESUME valen en el asunto solo si su correo empezó ese asunto y no dice nada más. RESUME tiene que ser todo lo que diga el correo.',
        'Cuando un servidor de correo dice quién envió un correo, solo lo creo si sus palabras se pueden leer de una sola manera y mi propia comprobación dice lo mismo. Si se rechaza un correo suyo, `epistle why` dice por qué y `epistle mailbox test` comprueba el servidor.',
      ],
    },
    noName: (where, value) =>
      `En ${where} el ajuste authserv_id es \`${value}\`. Ningún servidor se llama así, por lo que ya no prueba quién escribe y sus correos pueden rechazarse. \`epistle doctor\` dice qué poner.`,
  },
  it: {
    subject: 'Che cosa è cambiato con l’aggiornamento',
    opening: 'Epistle è stato aggiornato. Perché nessuno possa agire a suo nome, ora è diverso questo:',
    items: {
      whole_answers: [
        'Prima di agire in base alla sua risposta guardo ogni riga del messaggio. Se sotto c’è più del suo nome e dei suoi recapiti, le chiedo di nuovo.',
        'STOP e RESUME valgono nell’oggetto solo se il suo messaggio ha iniziato quell’oggetto e non dice altro. RESUME deve essere tutto ciò che dice il messaggio.',
        'Se un server di posta dice chi ha inviato un messaggio, gli credo solo se le sue parole si leggono in un solo modo e il mio controllo dice lo stesso. Se un suo messaggio viene rifiutato, `epistle why` dice perché e `epistle mailbox test` controlla il server.',
      ],
    },
    noName: (where, value) =>
      `Per ${where} l’impostazione authserv_id è \`${value}\`. Nessun server si chiama così: non prova più chi scrive, e i suoi messaggi possono essere rifiutati. \`epistle doctor\` dice che cosa inserire.`,
  },
  nl: {
    subject: 'Wat er sinds de update anders is',
    opening: 'Epistle is bijgewerkt. Zodat niemand namens u kan handelen, is dit nu anders:',
    items: {
      whole_answers: [
        'Voordat ik op uw antwoord iets doe, kijk ik naar elke regel van uw mail. Staat er meer onder dan uw naam en hoe u te bereiken bent, dan vraag ik het nog eens.',
        'STOP en RESUME tellen in het onderwerp alleen als uw mail dat onderwerp begon en er niets anders in staat. RESUME moet alles zijn wat de mail zegt.',
        'Zegt een mailserver wie een mail heeft gestuurd, dan geloof ik dat alleen als het maar op één manier te lezen is en mijn eigen controle hetzelfde zegt. Wordt een mail van u geweigerd, dan zegt `epistle why` waarom, en `epistle mailbox test` controleert de server.',
      ],
    },
    noName: (where, value) =>
      `Bij ${where} is de instelling authserv_id \`${value}\`. Zo heet geen server, dus bewijst het niet meer wie er schrijft, en kan uw mail worden geweigerd. \`epistle doctor\` zegt wat er moet staan.`,
  },
  pt: {
    subject: 'O que mudou desde a atualização',
    opening: 'O Epistle foi atualizado. Para que ninguém possa agir em seu nome, isto é diferente agora:',
    items: {
      whole_answers: [
        'Antes de agir com a sua resposta, olho para cada linha do seu e-mail. Se por baixo houver mais do que o seu nome e os seus contactos, pergunto de novo.',
        'STOP e RESUME só contam no assunto se o seu e-mail começou esse assunto e ele não diz mais nada. RESUME tem de ser tudo o que o e-mail diz.',
        'Quando um servidor de e-mail diz quem enviou um e-mail, só acredito se as palavras dele tiverem uma única leitura e a minha própria verificação disser o mesmo. Se um e-mail seu for recusado, `epistle why` diz porquê e `epistle mailbox test` verifica o servidor.',
      ],
    },
    noName: (where, value) =>
      `Em ${where}, a definição authserv_id é \`${value}\`. Nenhum servidor se chama assim, por isso já não prova quem escreve e os seus e-mails podem ser recusados. \`epistle doctor\` diz o que deve lá estar.`,
  },
  pl: {
    subject: 'Co się zmieniło po aktualizacji',
    opening: 'Epistle został zaktualizowany. Aby nikt nie mógł działać w Pana/Pani imieniu, zmieniło się to:',
    items: {
      whole_answers: [
        'Zanim coś zrobię na podstawie odpowiedzi, sprawdzam każdy wiersz wiadomości. Jeśli pod odpowiedzią jest coś więcej niż nazwisko i dane kontaktowe, pytam jeszcze raz.',
        'STOP i RESUME liczą się w temacie tylko wtedy, gdy wiadomość zaczęła ten temat i nie ma w nim nic więcej. RESUME musi być wszystkim, co mówi wiadomość.',
        'Gdy serwer poczty mówi, kto wysłał wiadomość, wierzę mu tylko wtedy, gdy jego słowa można odczytać w jeden sposób, a moja własna kontrola mówi to samo. Jeśli wiadomość zostanie odrzucona, `epistle why` poda powód, a `epistle mailbox test` sprawdzi serwer.',
      ],
    },
    noName: (where, value) =>
      `Dla ${where} ustawienie authserv_id to \`${value}\`. Żaden serwer tak się nie nazywa, więc nie potwierdza ono już nadawcy, a wiadomości mogą być odrzucane. \`epistle doctor\` poda, co wpisać.`,
  },
  ja: {
    subject: '更新後に変わったこと',
    opening: 'Epistle が更新されました。誰かがあなたになりすまして指示することを防ぐため、次の点が変わりました。',
    items: {
      whole_answers: [
        'ご返信に従って何かをする前に、メールのすべての行を確認します。お名前と連絡先のほかに何か書かれていれば、もう一度お尋ねします。',
        '件名の STOP と RESUME は、そのメールが件名を始めたもので、ほかに何も書かれていないときだけ有効です。RESUME は、メールの内容がそれだけのときに有効です。',
        'メールサーバーが差出人を示していても、その記述が一通りにしか読めず、こちらの確認でも同じ結果になるときだけ信じます。あなたのメールが拒否された場合、`epistle why` で理由が、`epistle mailbox test` でサーバーの状態がわかります。',
      ],
    },
    noName: (where, value) =>
      `${where} の authserv_id が \`${value}\` になっています。このような名前のサーバーはないため、差出人の証明には使われなくなり、あなたのメールが拒否されることがあります。正しい設定は \`epistle doctor\` でわかります。`,
  },
  zh: {
    subject: '升级后的变化',
    opening: 'Epistle 已升级。为了不让任何人冒用您的名义，现在有以下变化：',
    items: {
      whole_answers: [
        '在按您的答复行事之前，我会查看邮件的每一行。如果下面除了您的姓名和联系方式之外还有别的内容，我会再问您一次。',
        '主题中的 STOP 和 RESUME 只有在该主题由您的邮件发起、且没有其他内容时才有效。RESUME 必须是邮件的全部内容。',
        '邮件服务器说明某封邮件由谁发出时，只有在其说法只有一种读法、并且我自己的检查也得出相同结果时，我才相信。如果您的邮件被拒收，`epistle why` 会说明原因，`epistle mailbox test` 会检查服务器。',
      ],
    },
    noName: (where, value) =>
      `${where} 的 authserv_id 设置为 \`${value}\`。没有服务器叫这个名字，因此它不再能证明发件人，您的邮件可能会被拒收。\`epistle doctor\` 会说明应如何设置。`,
  },
};
