import type { Wording } from '../language.ts';

interface Words {
  /** The mail is answered, after a pause. */
  readonly later: string;
  /** The mail is answered when it is its turn: they wrote more than is answered in one hour. */
  readonly in_turn: string;
  /** The mail is not answered: they wrote more than may wait for its turn. */
  readonly too_many: string;
  /** The mail is not answered, and neither is what follows at once. */
  readonly stopped: string;
  /** The mail was not read: what it is too much of, or that nothing could be made of it. */
  readonly too_large: string;
  readonly too_many_files: string;
  readonly unreadable: string;
}

/**
 * What proven senders are told whose mail waits or is not answered: they write at once after each answer, as a program would that
 * answers answers, or more than may be answered, or it could not be read.
 */
export const SLOWED_DOWN: Wording<Words> = {
  en: {
    later: 'Our mails follow each other very quickly, so I will answer this one in about a quarter of an hour.',
    in_turn:
      'You have written more than I may answer in one hour, so this mail waits; I answer one after the other, without your writing again.',
    too_many:
      'You have written more than I may answer, so I have left this mail unanswered; whoever looks after this address has been told and can still have it answered.',
    stopped:
      'Your mails look like those of a program that answers mine, so I have left this one unanswered; if you wrote it yourself, please write again in an hour.',
    too_large:
      'Your mail is larger than I may take in, so I have not read it; please send it in smaller parts. Whoever looks after this address has been told.',
    too_many_files:
      'Your mail has more attachments than I may take in, so I have not read it; please send them in several mails. Whoever looks after this address has been told.',
    unreadable:
      'I could not read your mail because of the way it is built; please send it again as plain text. Whoever looks after this address has been told.',
  },
  de: {
    later: 'Unsere Mails folgen sehr schnell aufeinander, daher beantworte ich diese in etwa einer Viertelstunde.',
    in_turn:
      'Sie haben mehr geschrieben, als ich in einer Stunde beantworten darf, daher wartet diese Mail; ich beantworte eine nach der anderen, ohne dass Sie noch einmal schreiben.',
    too_many:
      'Sie haben mehr geschrieben, als ich beantworten darf, daher bleibt diese Mail ohne Antwort; wer diese Adresse betreut, weiß davon und kann sie noch beantworten lassen.',
    stopped:
      'Ihre Mails sehen aus wie die eines Programms, das auf meine antwortet, daher bleibt diese ohne Antwort; wenn Sie sie selbst geschrieben haben, schreiben Sie bitte in einer Stunde noch einmal.',
    too_large:
      'Ihre Mail ist größer, als ich sie annehmen darf, daher habe ich sie nicht gelesen; bitte senden Sie sie in kleineren Teilen. Wer diese Adresse betreut, weiß davon.',
    too_many_files:
      'Ihre Mail hat mehr Anhänge, als ich annehmen darf, daher habe ich sie nicht gelesen; bitte verteilen Sie sie auf mehrere Mails. Wer diese Adresse betreut, weiß davon.',
    unreadable:
      'Ihre Mail ließ sich ihres Aufbaus wegen nicht lesen; bitte senden Sie sie noch einmal als reinen Text. Wer diese Adresse betreut, weiß davon.',
  },
  fr: {
    later: 'Nos messages se suivent de très près ; je répondrai donc à celui-ci dans un quart d’heure environ.',
    in_turn:
      'Vous avez écrit plus que je ne peux traiter en une heure, ce message attend donc ; je réponds à l’un après l’autre, sans que vous ayez à écrire de nouveau.',
    too_many:
      'Vous avez écrit plus que je ne peux traiter, j’ai donc laissé ce message sans réponse ; la personne responsable de cette adresse en est informée et peut encore y faire répondre.',
    stopped:
      'Vos messages ressemblent à ceux d’un programme qui répond aux miens, j’ai donc laissé celui-ci sans réponse ; si vous l’avez écrit vous-même, merci d’écrire à nouveau dans une heure.',
    too_large:
      'Votre message est plus volumineux que ce que je peux recevoir, je ne l’ai donc pas lu ; merci de l’envoyer en parties plus petites. La personne responsable de cette adresse en est informée.',
    too_many_files:
      'Votre message a plus de pièces jointes que je ne peux en recevoir, je ne l’ai donc pas lu ; merci de les répartir sur plusieurs messages. La personne responsable de cette adresse en est informée.',
    unreadable:
      'Je n’ai pas pu lire votre message à cause de sa structure ; merci de le renvoyer en texte simple. La personne responsable de cette adresse en est informée.',
  },
  es: {
    later:
      'Nuestros correos se suceden muy deprisa, así que responderé a este dentro de un cuarto de hora, más o menos.',
    in_turn:
      'Ha escrito más de lo que puedo responder en una hora, así que este correo espera; los respondo uno tras otro, sin que tenga que escribir de nuevo.',
    too_many:
      'Ha escrito más de lo que puedo responder, por lo que he dejado este correo sin respuesta; quien se ocupa de esta dirección lo sabe y aún puede hacer que se responda.',
    stopped:
      'Sus correos parecen los de un programa que responde a los míos, por lo que he dejado este sin respuesta; si lo ha escrito usted, vuelva a escribir dentro de una hora.',
    too_large:
      'Su correo es más grande de lo que puedo recibir, así que no lo he leído; envíelo en partes más pequeñas, por favor. Quien se ocupa de esta dirección lo sabe.',
    too_many_files:
      'Su correo tiene más archivos adjuntos de los que puedo recibir, así que no lo he leído; repártalos en varios correos, por favor. Quien se ocupa de esta dirección lo sabe.',
    unreadable:
      'No he podido leer su correo por la forma en que está construido; envíelo de nuevo como texto sin formato, por favor. Quien se ocupa de esta dirección lo sabe.',
  },
  it: {
    later: 'Le nostre mail si susseguono molto rapidamente, quindi risponderò a questa tra circa un quarto d’ora.',
    in_turn:
      'Ha scritto più di quanto io possa rispondere in un’ora, perciò questa mail attende; rispondo a una dopo l’altra, senza che debba scrivere di nuovo.',
    too_many:
      'Ha scritto più di quanto io possa rispondere, perciò questa mail resta senza risposta; chi si occupa di questo indirizzo ne è al corrente e può ancora far rispondere.',
    stopped:
      'Le sue mail sembrano quelle di un programma che risponde alle mie, perciò ho lasciato questa senza risposta; se l’ha scritta lei, scriva di nuovo tra un’ora.',
    too_large:
      'La sua mail è più grande di quanto io possa ricevere, perciò non l’ho letta; la invii in parti più piccole, per favore. Chi si occupa di questo indirizzo ne è al corrente.',
    too_many_files:
      'La sua mail ha più allegati di quanti io possa ricevere, perciò non l’ho letta; li distribuisca su più mail, per favore. Chi si occupa di questo indirizzo ne è al corrente.',
    unreadable:
      'Non ho potuto leggere la sua mail per come è costruita; la invii di nuovo come testo semplice, per favore. Chi si occupa di questo indirizzo ne è al corrente.',
  },
  nl: {
    later: 'Onze mails volgen elkaar erg snel op, dus ik beantwoord deze over ongeveer een kwartier.',
    in_turn:
      'U hebt meer geschreven dan ik in één uur mag beantwoorden, dus deze mail wacht; ik beantwoord ze een voor een, zonder dat u opnieuw hoeft te schrijven.',
    too_many:
      'U hebt meer geschreven dan ik mag beantwoorden, dus deze mail blijft onbeantwoord; wie dit adres beheert, weet ervan en kan haar alsnog laten beantwoorden.',
    stopped:
      'Uw mails lijken op die van een programma dat op de mijne antwoordt, dus ik heb deze niet beantwoord; als u haar zelf hebt geschreven, schrijf dan over een uur opnieuw.',
    too_large:
      'Uw mail is groter dan ik mag aannemen, dus ik heb haar niet gelezen; stuur haar alstublieft in kleinere delen. Wie dit adres beheert, weet ervan.',
    too_many_files:
      'Uw mail heeft meer bijlagen dan ik mag aannemen, dus ik heb haar niet gelezen; verdeel ze alstublieft over meerdere mails. Wie dit adres beheert, weet ervan.',
    unreadable:
      'Ik kon uw mail niet lezen door de manier waarop zij is opgebouwd; stuur haar alstublieft opnieuw als platte tekst. Wie dit adres beheert, weet ervan.',
  },
  pt: {
    later: 'Os nossos e-mails seguem-se muito depressa, por isso respondo a este daqui a cerca de um quarto de hora.',
    in_turn:
      'Escreveu mais do que posso responder numa hora, por isso este e-mail espera; respondo a um de cada vez, sem que precise de escrever de novo.',
    too_many:
      'Escreveu mais do que posso responder, por isso deixei este e-mail sem resposta; quem cuida deste endereço foi informado e ainda pode fazer com que seja respondido.',
    stopped:
      'Os seus e-mails parecem os de um programa que responde aos meus, por isso deixei este sem resposta; se o escreveu pessoalmente, escreva de novo daqui a uma hora.',
    too_large:
      'O seu e-mail é maior do que posso receber, por isso não o li; envie-o em partes mais pequenas, por favor. Quem cuida deste endereço foi informado.',
    too_many_files:
      'O seu e-mail tem mais anexos do que posso receber, por isso não o li; distribua-os por vários e-mails, por favor. Quem cuida deste endereço foi informado.',
    unreadable:
      'Não consegui ler o seu e-mail por causa da forma como está construído; envie-o de novo como texto simples, por favor. Quem cuida deste endereço foi informado.',
  },
  pl: {
    later: 'Nasze wiadomości następują po sobie bardzo szybko, dlatego na tę odpowiem za około kwadrans.',
    in_turn:
      'Wiadomości jest więcej, niż mogę obsłużyć w ciągu godziny, dlatego ta czeka; odpowiadam po kolei i nie trzeba pisać ponownie.',
    too_many:
      'Wiadomości jest więcej, niż mogę obsłużyć, dlatego ta pozostaje bez odpowiedzi; osoba, która opiekuje się tym adresem, wie o tym i może jeszcze zlecić odpowiedź.',
    stopped:
      'Twoje wiadomości wyglądają jak wysyłane przez program, który odpowiada na moje, dlatego tę pozostawiam bez odpowiedzi; jeśli to Ty ją napisałeś lub napisałaś, napisz proszę ponownie za godzinę.',
    too_large:
      'Ta wiadomość jest większa, niż mogę przyjąć, dlatego jej nie przeczytałem; proszę wysłać ją w mniejszych częściach. Osoba, która opiekuje się tym adresem, wie o tym.',
    too_many_files:
      'Ta wiadomość ma więcej załączników, niż mogę przyjąć, dlatego jej nie przeczytałem; proszę rozdzielić je na kilka wiadomości. Osoba, która opiekuje się tym adresem, wie o tym.',
    unreadable:
      'Nie udało się przeczytać tej wiadomości z powodu jej budowy; proszę wysłać ją ponownie jako zwykły tekst. Osoba, która opiekuje się tym adresem, wie o tym.',
  },
  ja: {
    later: 'メールのやり取りがとても速く続いているため、このメールには約15分後にお返事します。',
    in_turn:
      '1時間にお返事できる数を超えたため、このメールは順番待ちになっています。順にお返事しますので、もう一度お送りいただく必要はありません。',
    too_many:
      'お返事できる数を超えたため、このメールにはお返事していません。このアドレスの管理者には知らせてあり、後から返信させることができます。',
    stopped:
      '私のメールに自動で返信するプログラムからのメールのように見えるため、このメールにはお返事していません。ご本人が書かれた場合は、1時間後にもう一度お送りください。',
    too_large:
      'メールが受け取れる大きさを超えているため、お読みしていません。小さく分けてお送りください。このアドレスの管理者には知らせてあります。',
    too_many_files:
      '添付ファイルが受け取れる数を超えているため、お読みしていません。何通かに分けてお送りください。このアドレスの管理者には知らせてあります。',
    unreadable:
      'メールの構造のためにお読みできませんでした。テキスト形式でもう一度お送りください。このアドレスの管理者には知らせてあります。',
  },
  zh: {
    later: '我们的邮件来往过于频繁，因此我会在大约一刻钟后回复这封邮件。',
    in_turn: '您的来信超过了我一小时内可以回复的数量，因此这封邮件需要等候；我会依次回复，您无需再次来信。',
    too_many: '您的来信超过了我可以回复的数量，因此我没有回复这一封；此地址的负责人已获悉，仍可安排回复。',
    stopped:
      '您的邮件看起来像是由自动回复我邮件的程序发出的，因此我没有回复这一封；如果是您本人所写，请在一小时后再次来信。',
    too_large: '您的邮件超过了我可以接收的大小，因此我没有阅读；请分成较小的几封发送。此地址的负责人已获悉。',
    too_many_files:
      '您的邮件附件数量超过了我可以接收的范围，因此我没有阅读；请分成几封邮件发送。此地址的负责人已获悉。',
    unreadable: '由于邮件的结构，我无法阅读您的邮件；请以纯文本重新发送。此地址的负责人已获悉。',
  },
};
