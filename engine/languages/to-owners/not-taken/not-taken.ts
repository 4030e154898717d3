// Somewhat over 300 lines because it is the same words in ten languages; a translator reads a table in one piece.
import type { Wording } from '../../language.ts';

/** What owners are told of mail that is not answered: it could not be read, or there was too much of it. */
export interface NotTakenWords {
  readonly unreadSubject: string;
  unread(who: string, subject: string): string;
  readonly nobody: string;
  /** How to look at it. */
  look(command: string): string;
  /** Is too large; `command` takes it in again. */
  tooLarge(command: string): string;
  /** Has too many parts; `command` takes it in again. */
  manyParts(command: string): string;
  /** Has too many attachments, and lies in its mailbox; `command` takes it in. */
  manyFiles(command: string): string;
  /** Could not be read at all: taking it in again would come to the same. */
  readonly malformed: string;
  /** Lies in the mailbox, whose server could not hand it over for hours. */
  readonly withheldSubject: string;
  withheld(who: string, subject: string): string;
  /** What fetches it once more. */
  again(command: string): string;
  /** The server has numbered the mails anew, and so many of them are new to us. */
  heldSubject(mails: number): string;
  held(mails: number, mailbox: string, commands: { readonly take: string; readonly leave: string }): string;
  /** It waits for its turn. */
  inTurnSubject(who: string): string;
  inTurn(who: string, subject: string): string;
  stoppedSubject(who: string): string;
  stopped(who: string, subject: string): string;
  readonly loop: string;
  /** What has it answered although a limit stopped it. */
  answerIt(command: string): string;
  readonly rate: string;
}

/** Not even its subject may be known. */
const titled = (subject: string, before: string, after: string): string =>
  subject === '' ? '' : `${before}${subject}${after}`;

export const NOT_TAKEN: Wording<NotTakenWords> = {
  en: {
    unreadSubject: 'A mail could not be taken in',
    unread: (who, subject) => `The mail "${subject}" of ${who} was not answered because it could not be taken in.`,
    nobody: 'a sender who cannot be named',
    look: (command) => `Why, and what became of it: \`${command}\`.`,
    tooLarge: (command) =>
      `It is too large. Ask for a smaller one, or raise \`limits.max_message_bytes\` in configs/gateway.json and run \`${command}\`.`,
    manyParts: (command) =>
      `It has too many parts, or parts within parts within parts. Ask for it in a simpler form, or raise \`limits.max_mime_parts\` or \`limits.max_mime_depth\` in configs/gateway.json and run \`${command}\`.`,
    manyFiles: (command) =>
      `It has too many attachments. Raise \`limits.max_attachments\` in configs/gateway.json and run \`${command}\`, or ask for several mails.`,
    malformed:
      'It is not written as mail has to be, or it could not be read in time. Ask for it once more, as plain text or with the content in an attachment.',
    withheldSubject: 'A mail could not be fetched',
    withheld: (who, subject) =>
      `A mail of ${who}${titled(subject, ' with the subject "', '"')} lies in the mailbox, and its server has not handed it over for hours. It was not answered.`,
    again: (command) => `Once the server hands it over, \`${command}\` fetches it again.`,
    heldSubject: (mails) => `May I answer ${mails} mails?`,
    held: (mails, mailbox, { take, leave }) =>
      `The mailbox ${mailbox} was moved or restored. ${mails} mails lie in it that I have never seen. I answer none of them before you say so.\n\nTo have them answered: \`${take}\`.\n\nTo leave them where they are: \`${leave}\`.`,
    inTurnSubject: (who) => `Mail of ${who} waits`,
    inTurn: (who, subject) =>
      `${who} writes more than I may answer in one hour. The mail waits, and I answer one after the other. The latest is "${subject}".`,
    stoppedSubject: (who) => `Stopped answering ${who}`,
    stopped: (who, subject) => `I do not answer mail of ${who} for now. The latest is "${subject}".`,
    loop: 'Too many mails went back and forth. The limits stand under `loop_guard` in configs/security.json; within an hour they let mail through again.',
    answerIt: (command) => `To have this one answered all the same: \`${command}\`.`,
    rate: 'It was more than the limit for one hour, `budget.runs_per_sender_per_hour` in persona.json.',
  },
  de: {
    unreadSubject: 'Eine Mail war nicht lesbar',
    unread: (who, subject) => `Die Mail „${subject}“ von ${who} blieb ohne Antwort, weil sie sich nicht lesen ließ.`,
    nobody: 'einem Absender, der sich nicht nennen lässt',
    look: (command) => `Warum, und was aus ihr wurde: \`${command}\`.`,
    tooLarge: (command) =>
      `Sie ist zu groß. Bitten Sie um eine kleinere, oder erhöhen Sie \`limits.max_message_bytes\` in configs/gateway.json und rufen Sie \`${command}\` auf.`,
    manyParts: (command) =>
      `Sie hat zu viele Teile, oder zu tief verschachtelte. Bitten Sie um eine einfachere Form, oder erhöhen Sie \`limits.max_mime_parts\` oder \`limits.max_mime_depth\` in configs/gateway.json und rufen Sie \`${command}\` auf.`,
    manyFiles: (command) =>
      `Sie hat zu viele Anhänge. Erhöhen Sie \`limits.max_attachments\` in configs/gateway.json und rufen Sie \`${command}\` auf, oder bitten Sie um mehrere Mails.`,
    malformed:
      'Sie ist nicht so aufgebaut, wie es Mails sein müssen, oder ließ sich nicht rechtzeitig lesen. Bitten Sie darum, sie noch einmal zu senden, als reinen Text oder mit dem Inhalt im Anhang.',
    withheldSubject: 'Eine Mail war nicht abzuholen',
    withheld: (who, subject) =>
      `Eine Mail von ${who}${titled(subject, ' mit dem Betreff „', '“')} liegt im Postfach, doch der Server gibt sie seit Stunden nicht heraus. Sie blieb ohne Antwort.`,
    again: (command) => `Sobald der Server sie herausgibt, holt \`${command}\` sie erneut ab.`,
    heldSubject: (mails) => `Soll ich ${mails} Mails beantworten?`,
    held: (mails, mailbox, { take, leave }) =>
      `Das Postfach ${mailbox} ist umgezogen oder wurde wiederhergestellt. Darin liegen ${mails} Mails, die ich noch nie gesehen habe. Ich beantworte keine davon, bevor Sie es sagen.\n\nDamit sie beantwortet werden: \`${take}\`.\n\nDamit sie liegen bleiben: \`${leave}\`.`,
    inTurnSubject: (who) => `Mails von ${who} warten`,
    inTurn: (who, subject) =>
      `${who} schreibt mehr, als ich in einer Stunde beantworten darf. Die Mails warten, ich beantworte eine nach der anderen. Die neueste ist „${subject}“.`,
    stoppedSubject: (who) => `Keine Antworten mehr an ${who}`,
    stopped: (who, subject) => `Mails von ${who} beantworte ich vorerst nicht mehr. Die neueste ist „${subject}“.`,
    loop: 'Zu viele Mails gingen hin und her. Die Grenzen stehen unter `loop_guard` in configs/security.json; nach spätestens einer Stunde geht es weiter.',
    answerIt: (command) => `Damit diese Mail dennoch beantwortet wird: \`${command}\`.`,
    rate: 'Es waren mehr als für eine Stunde erlaubt: `budget.runs_per_sender_per_hour` in persona.json.',
  },
  fr: {
    unreadSubject: 'Un message n’a pas pu être lu',
    unread: (who, subject) => `Le message « ${subject} » de ${who} est resté sans réponse, car il n’a pas pu être lu.`,
    nobody: 'un expéditeur inconnu',
    look: (command) => `Pourquoi, et ce qu’il est devenu : \`${command}\`.`,
    tooLarge: (command) =>
      `Il est trop volumineux. Demandez-en un plus petit ou augmentez \`limits.max_message_bytes\` dans configs/gateway.json et lancez \`${command}\`.`,
    manyParts: (command) =>
      `Il a trop de parties, ou des parties trop imbriquées. Demandez une forme plus simple, ou augmentez \`limits.max_mime_parts\` ou \`limits.max_mime_depth\` dans configs/gateway.json et lancez \`${command}\`.`,
    manyFiles: (command) =>
      `Il a trop de pièces jointes. Augmentez \`limits.max_attachments\` dans configs/gateway.json et lancez \`${command}\`, ou demandez plusieurs messages.`,
    malformed:
      'Il n’est pas construit comme un message doit l’être, ou n’a pas pu être lu à temps. Demandez qu’il soit renvoyé, en texte simple ou avec son contenu en pièce jointe.',
    withheldSubject: 'Un message n’a pas pu être récupéré',
    withheld: (who, subject) =>
      `Un message de ${who}${titled(subject, ' avec l’objet « ', ' »')} se trouve dans la boîte, mais le serveur ne le transmet pas depuis des heures. Il est resté sans réponse.`,
    again: (command) => `Dès que le serveur le transmet, \`${command}\` va le chercher de nouveau.`,
    heldSubject: (mails) => `Dois-je répondre à ${mails} messages ?`,
    held: (mails, mailbox, { take, leave }) =>
      `La boîte ${mailbox} a été déplacée ou restaurée. Elle contient ${mails} messages que je n’ai jamais vus. Je ne réponds à aucun avant que vous ne le disiez.\n\nPour qu’ils reçoivent une réponse : \`${take}\`.\n\nPour les laisser où ils sont : \`${leave}\`.`,
    inTurnSubject: (who) => `Des messages de ${who} attendent`,
    inTurn: (who, subject) =>
      `${who} écrit plus que je ne peux traiter en une heure. Les messages attendent et je réponds à l’un après l’autre. Le dernier est « ${subject} ».`,
    stoppedSubject: (who) => `Plus de réponses à ${who}`,
    stopped: (who, subject) =>
      `Pour l’instant, je ne réponds plus aux messages de ${who}. Le dernier est « ${subject} ».`,
    loop: 'Trop de messages ont été échangés. Les limites figurent sous `loop_guard` dans configs/security.json ; dans l’heure, ils laissent de nouveau passer les messages.',
    answerIt: (command) => `Pour qu’il soit répondu malgré tout à celui-ci : \`${command}\`.`,
    rate: 'C’était plus que la limite pour une heure : `budget.runs_per_sender_per_hour` dans persona.json.',
  },
  es: {
    unreadSubject: 'No se pudo leer un correo',
    unread: (who, subject) => `El correo «${subject}» de ${who} quedó sin respuesta porque no se pudo leer.`,
    nobody: 'un remitente desconocido',
    look: (command) => `Por qué, y qué fue de él: \`${command}\`.`,
    tooLarge: (command) =>
      `Es demasiado grande. Pida uno más pequeño o aumente \`limits.max_message_bytes\` en configs/gateway.json y ejecute \`${command}\`.`,
    manyParts: (command) =>
      `Tiene demasiadas partes, o partes anidadas a demasiada profundidad. Pídalo en una forma más sencilla, o aumente \`limits.max_mime_parts\` o \`limits.max_mime_depth\` en configs/gateway.json y ejecute \`${command}\`.`,
    manyFiles: (command) =>
      `Tiene demasiados archivos adjuntos. Aumente \`limits.max_attachments\` en configs/gateway.json y ejecute \`${command}\`, o pida varios correos.`,
    malformed:
      'No está escrito como debe estarlo un correo, o no se pudo leer a tiempo. Pida que lo envíen de nuevo, como texto sin formato o con el contenido en un adjunto.',
    withheldSubject: 'No se pudo recoger un correo',
    withheld: (who, subject) =>
      `Un correo de ${who}${titled(subject, ' con el asunto «', '»')} está en el buzón, pero el servidor lleva horas sin entregarlo. Quedó sin respuesta.`,
    again: (command) => `Cuando el servidor lo entregue, \`${command}\` lo recoge de nuevo.`,
    heldSubject: (mails) => `¿Respondo a ${mails} correos?`,
    held: (mails, mailbox, { take, leave }) =>
      `El buzón ${mailbox} se ha trasladado o restaurado. En él hay ${mails} correos que nunca he visto. No respondo a ninguno hasta que usted lo diga.\n\nPara que se respondan: \`${take}\`.\n\nPara dejarlos donde están: \`${leave}\`.`,
    inTurnSubject: (who) => `Esperan correos de ${who}`,
    inTurn: (who, subject) =>
      `${who} escribe más de lo que puedo responder en una hora. Los correos esperan y los respondo uno tras otro. El más reciente es «${subject}».`,
    stoppedSubject: (who) => `Ya no se responde a ${who}`,
    stopped: (who, subject) => `De momento no respondo a los correos de ${who}. El más reciente es «${subject}».`,
    loop: 'Fueron y vinieron demasiados correos. Los límites están en `loop_guard` de configs/security.json; en una hora como máximo vuelven a dejar pasar correo.',
    answerIt: (command) => `Para que este se responda de todos modos: \`${command}\`.`,
    rate: 'Fueron más de los permitidos en una hora: `budget.runs_per_sender_per_hour` en persona.json.',
  },
  it: {
    unreadSubject: 'Non è stato possibile leggere una mail',
    unread: (who, subject) => `La mail «${subject}» di ${who} è rimasta senza risposta perché non si è potuta leggere.`,
    nobody: 'un mittente sconosciuto',
    look: (command) => `Perché, e che cosa ne è stato: \`${command}\`.`,
    tooLarge: (command) =>
      `È troppo grande. Ne chieda una più piccola o aumenti \`limits.max_message_bytes\` in configs/gateway.json ed esegua \`${command}\`.`,
    manyParts: (command) =>
      `Ha troppe parti, o parti annidate troppo a fondo. La chieda in una forma più semplice, oppure aumenti \`limits.max_mime_parts\` o \`limits.max_mime_depth\` in configs/gateway.json ed esegua \`${command}\`.`,
    manyFiles: (command) =>
      `Ha troppi allegati. Aumenti \`limits.max_attachments\` in configs/gateway.json ed esegua \`${command}\`, oppure chieda più mail.`,
    malformed:
      'Non è scritta come dev’essere una mail, o non si è potuta leggere in tempo. Chieda di inviarla di nuovo, come testo semplice o con il contenuto in un allegato.',
    withheldSubject: 'Non è stato possibile prelevare una mail',
    withheld: (who, subject) =>
      `Una mail di ${who}${titled(subject, ' con l’oggetto «', '»')} è nella casella, ma da ore il server non la consegna. È rimasta senza risposta.`,
    again: (command) => `Quando il server la consegna, \`${command}\` la preleva di nuovo.`,
    heldSubject: (mails) => `Devo rispondere a ${mails} mail?`,
    held: (mails, mailbox, { take, leave }) =>
      `La casella ${mailbox} è stata spostata o ripristinata. Contiene ${mails} mail che non ho mai visto. Non rispondo a nessuna prima che Lei lo dica.\n\nPer farle rispondere: \`${take}\`.\n\nPer lasciarle dove sono: \`${leave}\`.`,
    inTurnSubject: (who) => `Mail di ${who} in attesa`,
    inTurn: (who, subject) =>
      `${who} scrive più di quanto io possa rispondere in un’ora. Le mail attendono e rispondo a una dopo l’altra. La più recente è «${subject}».`,
    stoppedSubject: (who) => `Nessuna risposta per ora a ${who}`,
    stopped: (who, subject) => `Per ora non rispondo alle mail di ${who}. La più recente è «${subject}».`,
    loop: 'Troppe mail sono andate avanti e indietro. I limiti sono sotto `loop_guard` in configs/security.json; entro un’ora lasciano passare di nuovo le mail.',
    answerIt: (command) => `Perché a questa si risponda comunque: \`${command}\`.`,
    rate: 'Erano più di quante ne sono consentite in un’ora: `budget.runs_per_sender_per_hour` in persona.json.',
  },
  nl: {
    unreadSubject: 'Een mail kon niet worden gelezen',
    unread: (who, subject) => `De mail "${subject}" van ${who} is niet beantwoord, omdat die niet gelezen kon worden.`,
    nobody: 'een onbekende afzender',
    look: (command) => `Waarom, en wat ermee gebeurd is: \`${command}\`.`,
    tooLarge: (command) =>
      `Die is te groot. Vraag om een kleinere, of verhoog \`limits.max_message_bytes\` in configs/gateway.json en voer \`${command}\` uit.`,
    manyParts: (command) =>
      `Die heeft te veel delen, of delen die te diep genest zijn. Vraag om een eenvoudigere vorm, of verhoog \`limits.max_mime_parts\` of \`limits.max_mime_depth\` in configs/gateway.json en voer \`${command}\` uit.`,
    manyFiles: (command) =>
      `De mail heeft te veel bijlagen. Verhoog \`limits.max_attachments\` in configs/gateway.json en voer \`${command}\` uit, of vraag om meerdere mails.`,
    malformed:
      'Die is niet opgebouwd zoals een mail hoort te zijn, of kon niet op tijd worden gelezen. Vraag om die opnieuw te sturen, als platte tekst of met de inhoud in een bijlage.',
    withheldSubject: 'Een mail kon niet worden opgehaald',
    withheld: (who, subject) =>
      `Een mail van ${who}${titled(subject, ' met het onderwerp "', '"')} ligt in het postvak, maar de server geeft die al uren niet af. Die is niet beantwoord.`,
    again: (command) => `Zodra de server die afgeeft, haalt \`${command}\` die opnieuw op.`,
    heldSubject: (mails) => `Zal ik ${mails} mails beantwoorden?`,
    held: (mails, mailbox, { take, leave }) =>
      `Het postvak ${mailbox} is verhuisd of teruggezet. Er liggen ${mails} mails in die ik nooit heb gezien. Ik beantwoord er geen voordat u het zegt.\n\nOm ze te laten beantwoorden: \`${take}\`.\n\nOm ze te laten liggen: \`${leave}\`.`,
    inTurnSubject: (who) => `Mail van ${who} wacht`,
    inTurn: (who, subject) =>
      `${who} schrijft meer dan ik in één uur mag beantwoorden. De mails wachten en ik beantwoord ze een voor een. De nieuwste is "${subject}".`,
    stoppedSubject: (who) => `Geen antwoorden meer aan ${who}`,
    stopped: (who, subject) => `Mail van ${who} beantwoord ik voorlopig niet. De nieuwste is "${subject}".`,
    loop: 'Er gingen te veel mails heen en weer. De grenzen staan onder `loop_guard` in configs/security.json; binnen een uur laten ze weer mail door.',
    answerIt: (command) => `Om deze toch te laten beantwoorden: \`${command}\`.`,
    rate: 'Het waren er meer dan in één uur mag: `budget.runs_per_sender_per_hour` in persona.json.',
  },
  pt: {
    unreadSubject: 'Não foi possível ler um e-mail',
    unread: (who, subject) => `O e-mail «${subject}» de ${who} ficou sem resposta porque não foi possível lê-lo.`,
    nobody: 'um remetente desconhecido',
    look: (command) => `Porquê, e o que lhe aconteceu: \`${command}\`.`,
    tooLarge: (command) =>
      `É demasiado grande. Peça um menor ou aumente \`limits.max_message_bytes\` em configs/gateway.json e execute \`${command}\`.`,
    manyParts: (command) =>
      `Tem demasiadas partes, ou partes encaixadas a demasiada profundidade. Peça-o numa forma mais simples, ou aumente \`limits.max_mime_parts\` ou \`limits.max_mime_depth\` em configs/gateway.json e execute \`${command}\`.`,
    manyFiles: (command) =>
      `Tem demasiados anexos. Aumente \`limits.max_attachments\` em configs/gateway.json e execute \`${command}\`, ou peça vários e-mails.`,
    malformed:
      'Não está escrito como um e-mail deve estar, ou não foi possível lê-lo a tempo. Peça que o enviem de novo, como texto simples ou com o conteúdo num anexo.',
    withheldSubject: 'Não foi possível obter um e-mail',
    withheld: (who, subject) =>
      `Um e-mail de ${who}${titled(subject, ' com o assunto «', '»')} está na caixa de correio, mas há horas que o servidor não o entrega. Ficou sem resposta.`,
    again: (command) => `Quando o servidor o entregar, \`${command}\` vai buscá-lo de novo.`,
    heldSubject: (mails) => `Respondo a ${mails} e-mails?`,
    held: (mails, mailbox, { take, leave }) =>
      `A caixa de correio ${mailbox} foi mudada ou restaurada. Tem ${mails} e-mails que nunca vi. Não respondo a nenhum antes de o dizer.\n\nPara que sejam respondidos: \`${take}\`.\n\nPara os deixar onde estão: \`${leave}\`.`,
    inTurnSubject: (who) => `E-mails de ${who} à espera`,
    inTurn: (who, subject) =>
      `${who} escreve mais do que posso responder numa hora. Os e-mails esperam e respondo a um de cada vez. O mais recente é «${subject}».`,
    stoppedSubject: (who) => `Sem mais respostas a ${who}`,
    stopped: (who, subject) => `Por agora não respondo aos e-mails de ${who}. O mais recente é «${subject}».`,
    loop: 'Foram trocados demasiados e-mails. Os limites estão em `loop_guard` de configs/security.json; dentro de uma hora voltam a deixar passar e-mails.',
    answerIt: (command) => `Para que este seja respondido mesmo assim: \`${command}\`.`,
    rate: 'Foram mais do que os permitidos numa hora: `budget.runs_per_sender_per_hour` em persona.json.',
  },
  pl: {
    unreadSubject: 'Nie udało się odczytać wiadomości',
    unread: (who, subject) =>
      `Wiadomość „${subject}” (nadawca: ${who}) pozostała bez odpowiedzi, bo nie dało się jej odczytać.`,
    nobody: 'nieznany',
    look: (command) => `Dlaczego i co się z nią stało: \`${command}\`.`,
    tooLarge: (command) =>
      `Jest za duża. Poproś o mniejszą albo zwiększ \`limits.max_message_bytes\` w configs/gateway.json i wykonaj \`${command}\`.`,
    manyParts: (command) =>
      `Ma za dużo części albo są one zbyt głęboko zagnieżdżone. Poproś o prostszą postać albo zwiększ \`limits.max_mime_parts\` lub \`limits.max_mime_depth\` w configs/gateway.json i wykonaj \`${command}\`.`,
    manyFiles: (command) =>
      `Ma za dużo załączników. Zwiększ \`limits.max_attachments\` w configs/gateway.json i uruchom \`${command}\` albo poproś o kilka wiadomości.`,
    malformed:
      'Nie jest zbudowana tak, jak powinna być wiadomość, albo nie dało się jej odczytać na czas. Poproś o ponowne wysłanie, jako zwykły tekst albo z treścią w załączniku.',
    withheldSubject: 'Nie udało się pobrać wiadomości',
    withheld: (who, subject) =>
      `W skrzynce leży wiadomość (nadawca: ${who}${titled(subject, ', temat: „', '”')}), której serwer od wielu godzin nie wydaje. Pozostała bez odpowiedzi.`,
    again: (command) => `Gdy serwer ją wyda, \`${command}\` pobierze ją ponownie.`,
    heldSubject: (mails) => `Czy mam odpowiedzieć na wiadomości (${mails})?`,
    held: (mails, mailbox, { take, leave }) =>
      `Skrzynka ${mailbox} została przeniesiona lub przywrócona. Leżą w niej wiadomości, których nigdy nie widziałem (${mails}). Nie odpowiem na żadną, zanim o tym nie zdecydujesz.\n\nAby na nie odpowiedzieć: \`${take}\`.\n\nAby je zostawić: \`${leave}\`.`,
    inTurnSubject: (who) => `Czekają wiadomości: ${who}`,
    inTurn: (who, subject) =>
      `${who} pisze więcej, niż mogę obsłużyć w ciągu godziny. Wiadomości czekają, odpowiadam po kolei. Najnowsza to „${subject}”.`,
    stoppedSubject: (who) => `Wstrzymano odpowiedzi: ${who}`,
    stopped: (who, subject) => `Na razie nie odpowiadam na wiadomości od ${who}. Najnowsza to „${subject}”.`,
    loop: 'Wymieniono zbyt wiele wiadomości. Limity są w `loop_guard` w configs/security.json; najpóźniej po godzinie znów przepuszczają wiadomości.',
    answerIt: (command) => `Aby mimo to odpowiedzieć na tę wiadomość: \`${command}\`.`,
    rate: 'Było ich więcej, niż wolno w ciągu godziny: `budget.runs_per_sender_per_hour` w persona.json.',
  },
  ja: {
    unreadSubject: '読み込めないメールがありました',
    unread: (who, subject) => `${who} からのメール「${subject}」は読み込めなかったため、返信していません。`,
    nobody: '差出人不明',
    look: (command) => `理由とその後の扱い: \`${command}\``,
    tooLarge: (command) =>
      `サイズが大きすぎます。小さくして送ってもらうか、configs/gateway.json の \`limits.max_message_bytes\` を上げて \`${command}\` を実行してください。`,
    manyParts: (command) =>
      `パートが多すぎるか、入れ子が深すぎます。より簡単な形式で送ってもらうか、configs/gateway.json の \`limits.max_mime_parts\` か \`limits.max_mime_depth\` を上げて \`${command}\` を実行してください。`,
    manyFiles: (command) =>
      `添付ファイルが多すぎます。configs/gateway.json の \`limits.max_attachments\` を増やして \`${command}\` を実行するか、何通かに分けて送ってもらってください。`,
    malformed:
      'メールとして正しい形式でないか、時間内に読み込めませんでした。テキスト形式で、または内容を添付ファイルにして、もう一度送ってもらってください。',
    withheldSubject: '取得できないメールがありました',
    withheld: (who, subject) =>
      `${who} からのメール${titled(subject, '「', '」')}はメールボックスにありますが、サーバーが何時間も渡してくれないため、返信していません。`,
    again: (command) => `サーバーが渡すようになったら、\`${command}\` でもう一度取得します。`,
    heldSubject: (mails) => `${mails} 通のメールに返信してよろしいですか`,
    held: (mails, mailbox, { take, leave }) =>
      `メールボックス ${mailbox} が移動または復元されました。まだ見たことのないメールが ${mails} 通あります。ご指示があるまで返信しません。\n\n返信する場合: \`${take}\`\n\nそのままにする場合: \`${leave}\``,
    inTurnSubject: (who) => `${who} からのメールが順番待ちです`,
    inTurn: (who, subject) =>
      `${who} からのメールが、1時間に返信できる数を超えました。順番に返信します。最新のものは「${subject}」です。`,
    stoppedSubject: (who) => `${who} への返信を止めました`,
    stopped: (who, subject) => `${who} からのメールには当面返信しません。最新のものは「${subject}」です。`,
    loop: 'やり取りが多すぎました。上限は configs/security.json の `loop_guard` にあります。1時間以内に再開します。',
    answerIt: (command) => `このメールにも返信させるには: \`${command}\``,
    rate: '1時間あたりの上限（persona.json の `budget.runs_per_sender_per_hour`）を超えました。',
  },
  zh: {
    unreadSubject: '有一封邮件无法读取',
    unread: (who, subject) => `${who} 的邮件“${subject}”无法读取，因此没有回复。`,
    nobody: '未知发件人',
    look: (command) => `原因和处理情况：\`${command}\`。`,
    tooLarge: (command) =>
      `邮件太大。请对方发送较小的邮件，或调高 configs/gateway.json 中的 \`limits.max_message_bytes\` 并运行 \`${command}\`。`,
    manyParts: (command) =>
      `邮件的部分太多，或嵌套太深。请对方换一种更简单的形式，或调高 configs/gateway.json 中的 \`limits.max_mime_parts\` 或 \`limits.max_mime_depth\` 并运行 \`${command}\`。`,
    manyFiles: (command) =>
      `附件过多。请在 configs/gateway.json 中调高 \`limits.max_attachments\` 并运行 \`${command}\`，或请对方分几封发送。`,
    malformed: '邮件格式不正确，或未能及时读取。请对方以纯文本形式重新发送，或把内容放在附件中。',
    withheldSubject: '有一封邮件无法取回',
    withheld: (who, subject) =>
      `${who} 的邮件${titled(subject, '“', '”')}在邮箱中，但服务器几个小时都没有交出，因此没有回复。`,
    again: (command) => `服务器恢复后，\`${command}\` 会再次取回。`,
    heldSubject: (mails) => `是否回复 ${mails} 封邮件？`,
    held: (mails, mailbox, { take, leave }) =>
      `邮箱 ${mailbox} 已迁移或恢复。其中有 ${mails} 封我从未见过的邮件。在您说明之前，我不会回复任何一封。\n\n要回复它们：\`${take}\`。\n\n要保持原样：\`${leave}\`。`,
    inTurnSubject: (who) => `${who} 的邮件正在等候`,
    inTurn: (who, subject) =>
      `${who} 的来信超过了我一小时内可以回复的数量。邮件正在等候，我会依次回复。最新的一封是“${subject}”。`,
    stoppedSubject: (who) => `已停止回复 ${who}`,
    stopped: (who, subject) => `我暂时不再回复 ${who} 的邮件。最新的一封是“${subject}”。`,
    loop: '往来邮件过多。上限在 configs/security.json 的 `loop_guard` 中；最迟一小时后恢复。',
    answerIt: (command) => `如仍要回复这封邮件：\`${command}\`。`,
    rate: '超过了每小时的上限：persona.json 中的 `budget.runs_per_sender_per_hour`。',
  },
};
