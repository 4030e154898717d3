// One mail and its answers in every language: what is said together stands together.

import type { Language, Wording } from '../../language.ts';

export interface PinnedToolWords {
  /** Once, after an upgrade. */
  readonly takenOver: {
    readonly subject: string;
    readonly opening: string;
    readonly later: string;
    unreached(servers: string): string;
  };
  subject(server: string): string;
  isNew(server: string): string;
  hasChanged(server: string): string;
  readonly beware: string;
  readonly change: Readonly<Record<'added' | 'changed' | 'removed', string>>;
  readonly says: string;
  readonly said: string;
  readonly takes: string;
  readonly took: string;
  /** What a server says of the risk of a tool. */
  readonly risk: Readonly<Record<'onlyReads' | 'writes' | 'destroys', string>>;
  more(count: number, file: string): string;
  enclosed(file: string): string;
  readonly how: string;
  /** Where no answer by mail counts. `command`: what to type. */
  byCommand(command: string): string;
  allowed(server: string, count: number): string;
  readonly unreached: string;
  left(server: string): string;
  changedAgain(server: string, command: string): string;
  settled(server: string, allowed: boolean, who: string, when: string): string;
  expired(server: string, command: string): string;
  notYours(server: string): string;
  notWritten(server: string, command: string): string;
}

const WORDS: Wording<PinnedToolWords> = {
  en: {
    takenOver: {
      subject: 'Which tools of MCP servers I use from now on',
      opening:
        'Epistle was upgraded. From now on I use a tool of an MCP server only as you have allowed it, with its name, its description and its arguments. What your servers show today counts as allowed:',
      later: 'If a server changes one of them or offers another one, I do not use that tool, and ask you.',
      unreached: (servers) =>
        `I could not reach ${servers}. What it shows first within a day counts as allowed as well; after that I ask you.`,
    },
    subject: (server) => `may I use the tools of ${server} as they are now?`,
    isNew: (server) =>
      `The MCP server ${server} is new to me. Before I use its tools, please look at what it says of them.`,
    hasChanged: (server) =>
      `The MCP server ${server} has changed its tools since you allowed them. I do not use what stands here until you allow it.`,
    beware: 'A description is like an order to me. Say no if it asks for more than the tool is for.',
    change: { added: 'new', changed: 'changed', removed: 'not offered any more' },
    says: 'Its description',
    said: 'Its description before',
    takes: 'Its arguments',
    took: 'Its arguments before',
    risk: {
      onlyReads: 'The server says that it only reads.',
      writes: 'The server does not say that it only reads.',
      destroys: 'The server says that it can delete or overwrite.',
    },
    more: (count, file) => `And ${count} more, all in the attached file ${file}.`,
    enclosed: (file) => `All of it, word for word, is attached as ${file}.`,
    how: 'Reply "yes" to allow all of this exactly as it is here, or "no" to leave it away.',
    byCommand: (command) => `To allow it, type ${command} where Epistle runs.`,
    allowed: (server, count) => `I use the tools of ${server} as my mail showed them (${count}).`,
    unreached: 'The server cannot be reached now.',
    left: (server) =>
      `What my mail showed of ${server} stays away. To hear no more of it, leave it out in tools.allow of the server.`,
    changedAgain: (server, command) =>
      `${server} shows something else by now than my mail did, so I have allowed nothing. I ask you again, once a day at most; ${command} shows it at once.`,
    settled: (server, allowed, who, when) =>
      `The tools of ${server}: ${allowed ? 'allowed' : 'left away'} by ${who}, ${when}.`,
    expired: (server, command) =>
      `My question about ${server} is too old. ${command} allows its tools as they are now.`,
    notYours: (server) => `Who decides about ${server} is an owner of the whole gateway. Nothing was done.`,
    notWritten: (server, command) =>
      `I could not write down that the tools of ${server} are allowed. ${command} says why.`,
  },
  de: {
    takenOver: {
      subject: 'Welche Werkzeuge von MCP-Servern ich ab jetzt verwende',
      opening:
        'Epistle wurde aktualisiert. Ab jetzt verwende ich ein Werkzeug eines MCP-Servers nur so, wie Sie es erlaubt haben: mit seinem Namen, seiner Beschreibung und seinen Argumenten. Was Ihre Server heute zeigen, gilt als erlaubt:',
      later:
        'Ändert ein Server eines davon oder bietet er ein weiteres an, verwende ich dieses Werkzeug nicht und frage Sie.',
      unreached: (servers) =>
        `Nicht zu erreichen war: ${servers}. Was dort innerhalb eines Tages als Erstes zu sehen ist, gilt ebenfalls als erlaubt; danach frage ich Sie.`,
    },
    subject: (server) => `Darf ich die Werkzeuge von ${server} so verwenden, wie sie jetzt sind?`,
    isNew: (server) =>
      `Der MCP-Server ${server} ist neu für mich. Bitte sehen Sie sich an, was er über seine Werkzeuge sagt, bevor ich sie verwende.`,
    hasChanged: (server) =>
      `Der MCP-Server ${server} hat seine Werkzeuge geändert, seit Sie sie erlaubt haben. Was hier steht, verwende ich erst, wenn Sie es erlauben.`,
    beware:
      'Eine Beschreibung ist für mich wie eine Anweisung. Antworten Sie mit Nein, wenn sie mehr verlangt, als das Werkzeug tun soll.',
    change: { added: 'neu', changed: 'geändert', removed: 'nicht mehr angeboten' },
    says: 'Seine Beschreibung',
    said: 'Seine Beschreibung bisher',
    takes: 'Seine Argumente',
    took: 'Seine Argumente bisher',
    risk: {
      onlyReads: 'Der Server sagt, dass es nur liest.',
      writes: 'Der Server sagt nicht, dass es nur liest.',
      destroys: 'Der Server sagt, dass es löschen oder überschreiben kann.',
    },
    more: (count, file) => `Und ${count} weitere, alle in der angehängten Datei ${file}.`,
    enclosed: (file) => `Alles Wort für Wort ist als ${file} angehängt.`,
    how: 'Antworten Sie mit „Ja“, um alles genau so zu erlauben, wie es hier steht, oder mit „Nein“, dann bleibt es weg.',
    byCommand: (command) => `Um es zu erlauben, geben Sie dort, wo Epistle läuft, ${command} ein.`,
    allowed: (server, count) => `Ich verwende die Werkzeuge von ${server}, wie meine Mail sie gezeigt hat (${count}).`,
    unreached: 'Der Server ist gerade nicht zu erreichen.',
    left: (server) =>
      `Was meine Mail von ${server} gezeigt hat, bleibt weg. Damit ich nicht wieder davon rede, lassen Sie es in tools.allow des Servers aus.`,
    changedAgain: (server, command) =>
      `${server} zeigt inzwischen etwas anderes als meine Mail, deshalb habe ich nichts erlaubt. Ich frage Sie wieder, höchstens einmal am Tag; ${command} zeigt es sofort.`,
    settled: (server, allowed, who, when) =>
      `Die Werkzeuge von ${server}: ${allowed ? 'erlaubt' : 'weggelassen'} von ${who}, ${when}.`,
    expired: (server, command) =>
      `Meine Frage zu ${server} ist zu alt. ${command} erlaubt die Werkzeuge, wie sie jetzt sind.`,
    notYours: (server) => `Über ${server} entscheidet ein Inhaber des ganzen Gateways. Es wurde nichts getan.`,
    notWritten: (server, command) =>
      `Ich konnte nicht festhalten, dass die Werkzeuge von ${server} erlaubt sind. ${command} sagt, warum.`,
  },
  fr: {
    takenOver: {
      subject: 'Les outils de serveurs MCP que j’utilise désormais',
      opening:
        'Epistle a été mis à jour. Je n’utilise plus un outil d’un serveur MCP que tel que vous l’avez autorisé, avec son nom, sa description et ses arguments. Ce que vos serveurs montrent aujourd’hui est considéré comme autorisé :',
      later: 'Si un serveur en change un ou en propose un autre, je n’utilise pas cet outil et je vous le demande.',
      unreached: (servers) =>
        `Je n’ai pas pu joindre ${servers}. Ce qui s’y montre en premier dans la journée est aussi autorisé ; ensuite, je vous le demande.`,
    },
    subject: (server) => `puis-je utiliser les outils de ${server} tels qu’ils sont maintenant ?`,
    isNew: (server) =>
      `Le serveur MCP ${server} est nouveau pour moi. Avant que j’utilise ses outils, merci de regarder ce qu’il en dit.`,
    hasChanged: (server) =>
      `Le serveur MCP ${server} a changé ses outils depuis votre autorisation. Je n’utilise pas ce qui suit avant que vous l’autorisiez.`,
    beware: 'Une description est pour moi comme un ordre. Dites non si elle demande plus que ce à quoi sert l’outil.',
    change: { added: 'nouveau', changed: 'changé', removed: 'n’est plus proposé' },
    says: 'Sa description',
    said: 'Sa description avant',
    takes: 'Ses arguments',
    took: 'Ses arguments avant',
    risk: {
      onlyReads: 'Le serveur dit qu’il ne fait que lire.',
      writes: 'Le serveur ne dit pas qu’il ne fait que lire.',
      destroys: 'Le serveur dit qu’il peut supprimer ou écraser.',
    },
    more: (count, file) => `Et ${count} autres, tous dans le fichier joint ${file}.`,
    enclosed: (file) => `Tout est joint, mot pour mot, dans ${file}.`,
    how: 'Répondez « oui » pour autoriser tout cela exactement comme ici, ou « non » pour le laisser de côté.',
    byCommand: (command) => `Pour l’autoriser, tapez ${command} là où Epistle tourne.`,
    allowed: (server, count) => `J’utilise les outils de ${server} tels que mon message les a montrés (${count}).`,
    unreached: 'Le serveur est injoignable en ce moment.',
    left: (server) =>
      `Ce que mon message a montré de ${server} reste de côté. Pour ne plus en entendre parler, retirez-le de tools.allow du serveur.`,
    changedAgain: (server, command) =>
      `${server} montre entre-temps autre chose que mon message ; je n’ai donc rien autorisé. Je vous le redemanderai, une fois par jour au plus ; ${command} le montre tout de suite.`,
    settled: (server, allowed, who, when) =>
      `Les outils de ${server} : ${allowed ? 'autorisés' : 'laissés de côté'} par ${who}, ${when}.`,
    expired: (server, command) =>
      `Ma question sur ${server} est trop ancienne. ${command} autorise ses outils tels qu’ils sont maintenant.`,
    notYours: (server) => `C’est un propriétaire de toute la passerelle qui décide de ${server}. Rien n’a été fait.`,
    notWritten: (server, command) =>
      `Je n’ai pas pu noter que les outils de ${server} sont autorisés. ${command} dit pourquoi.`,
  },
  es: {
    takenOver: {
      subject: 'Qué herramientas de servidores MCP uso desde ahora',
      opening:
        'Epistle se ha actualizado. Desde ahora uso una herramienta de un servidor MCP solo como usted la ha permitido, con su nombre, su descripción y sus argumentos. Lo que sus servidores muestran hoy cuenta como permitido:',
      later: 'Si un servidor cambia una de ellas u ofrece otra, no uso esa herramienta y le pregunto.',
      unreached: (servers) =>
        `No he podido llegar a ${servers}. Lo primero que muestre en un día cuenta también como permitido; después le pregunto.`,
    },
    subject: (server) => `¿puedo usar las herramientas de ${server} tal como son ahora?`,
    isNew: (server) =>
      `El servidor MCP ${server} es nuevo para mí. Antes de que use sus herramientas, mire por favor lo que dice de ellas.`,
    hasChanged: (server) =>
      `El servidor MCP ${server} ha cambiado sus herramientas desde que usted las permitió. No uso lo que sigue hasta que lo permita.`,
    beware: 'Una descripción es para mí como una orden. Diga que no si pide más de lo que la herramienta debe hacer.',
    change: { added: 'nueva', changed: 'cambiada', removed: 'ya no se ofrece' },
    says: 'Su descripción',
    said: 'Su descripción anterior',
    takes: 'Sus argumentos',
    took: 'Sus argumentos anteriores',
    risk: {
      onlyReads: 'El servidor dice que solo lee.',
      writes: 'El servidor no dice que solo lee.',
      destroys: 'El servidor dice que puede borrar o sobrescribir.',
    },
    more: (count, file) => `Y ${count} más, todas en el archivo adjunto ${file}.`,
    enclosed: (file) => `Todo, palabra por palabra, va adjunto como ${file}.`,
    how: 'Responda «sí» para permitir todo esto exactamente como está aquí, o «no» para dejarlo fuera.',
    byCommand: (command) => `Para permitirlo, escriba ${command} donde funciona Epistle.`,
    allowed: (server, count) => `Uso las herramientas de ${server} como las mostró mi correo (${count}).`,
    unreached: 'Ahora no se puede llegar al servidor.',
    left: (server) =>
      `Lo que mi correo mostró de ${server} queda fuera. Para no oír más de ello, quítelo en tools.allow del servidor.`,
    changedAgain: (server, command) =>
      `${server} muestra ahora otra cosa que mi correo, así que no he permitido nada. Le preguntaré otra vez, como mucho una vez al día; ${command} lo muestra enseguida.`,
    settled: (server, allowed, who, when) =>
      `Las herramientas de ${server}: ${allowed ? 'permitidas' : 'dejadas fuera'} por ${who}, ${when}.`,
    expired: (server, command) =>
      `Mi pregunta sobre ${server} es demasiado antigua. ${command} permite sus herramientas como son ahora.`,
    notYours: (server) => `Sobre ${server} decide un propietario de toda la pasarela. No se ha hecho nada.`,
    notWritten: (server, command) =>
      `No he podido anotar que las herramientas de ${server} están permitidas. ${command} dice por qué.`,
  },
  it: {
    takenOver: {
      subject: 'Quali strumenti di server MCP uso d’ora in poi',
      opening:
        'Epistle è stato aggiornato. D’ora in poi uso uno strumento di un server MCP solo come lei lo ha permesso, con il suo nome, la sua descrizione e i suoi argomenti. Ciò che i suoi server mostrano oggi vale come permesso:',
      later: 'Se un server ne cambia uno o ne offre un altro, non uso quello strumento e le chiedo.',
      unreached: (servers) =>
        `Non ho potuto raggiungere ${servers}. La prima cosa che mostra entro un giorno vale anch’essa come permessa; dopo le chiedo.`,
    },
    subject: (server) => `posso usare gli strumenti di ${server} come sono ora?`,
    isNew: (server) =>
      `Il server MCP ${server} è nuovo per me. Prima che io usi i suoi strumenti, guardi per favore che cosa ne dice.`,
    hasChanged: (server) =>
      `Il server MCP ${server} ha cambiato i suoi strumenti da quando lei li ha permessi. Non uso ciò che segue finché lei non lo permette.`,
    beware: 'Una descrizione è per me come un ordine. Dica di no se chiede più di ciò a cui serve lo strumento.',
    change: { added: 'nuovo', changed: 'cambiato', removed: 'non più offerto' },
    says: 'La sua descrizione',
    said: 'La sua descrizione di prima',
    takes: 'I suoi argomenti',
    took: 'I suoi argomenti di prima',
    risk: {
      onlyReads: 'Il server dice che legge soltanto.',
      writes: 'Il server non dice che legge soltanto.',
      destroys: 'Il server dice che può cancellare o sovrascrivere.',
    },
    more: (count, file) => `E altri ${count}, tutti nel file allegato ${file}.`,
    enclosed: (file) => `Tutto, parola per parola, è allegato come ${file}.`,
    how: 'Risponda «sì» per permettere tutto questo esattamente com’è qui, o «no» per lasciarlo fuori.',
    byCommand: (command) => `Per permetterlo, scriva ${command} dove gira Epistle.`,
    allowed: (server, count) => `Uso gli strumenti di ${server} come li ha mostrati il mio messaggio (${count}).`,
    unreached: 'Il server ora non è raggiungibile.',
    left: (server) =>
      `Ciò che il mio messaggio ha mostrato di ${server} resta fuori. Per non sentirne più parlare, lo tolga da tools.allow del server.`,
    changedAgain: (server, command) =>
      `${server} ora mostra qualcosa di diverso dal mio messaggio, quindi non ho permesso nulla. Le chiederò di nuovo, al massimo una volta al giorno; ${command} lo mostra subito.`,
    settled: (server, allowed, who, when) =>
      `Gli strumenti di ${server}: ${allowed ? 'permessi' : 'lasciati fuori'} da ${who}, ${when}.`,
    expired: (server, command) =>
      `La mia domanda su ${server} è troppo vecchia. ${command} permette i suoi strumenti come sono ora.`,
    notYours: (server) => `Su ${server} decide un proprietario dell’intero gateway. Non è stato fatto nulla.`,
    notWritten: (server, command) =>
      `Non ho potuto annotare che gli strumenti di ${server} sono permessi. ${command} dice perché.`,
  },
  nl: {
    takenOver: {
      subject: 'Welke hulpmiddelen van MCP-servers ik voortaan gebruik',
      opening:
        'Epistle is bijgewerkt. Voortaan gebruik ik een hulpmiddel van een MCP-server alleen zoals u het hebt toegestaan, met zijn naam, zijn beschrijving en zijn argumenten. Wat uw servers vandaag laten zien, geldt als toegestaan:',
      later:
        'Verandert een server er een of biedt hij een ander aan, dan gebruik ik dat hulpmiddel niet en vraag ik het u.',
      unreached: (servers) =>
        `Ik kon ${servers} niet bereiken. Wat daar binnen een dag als eerste te zien is, geldt ook als toegestaan; daarna vraag ik het u.`,
    },
    subject: (server) => `mag ik de hulpmiddelen van ${server} gebruiken zoals ze nu zijn?`,
    isNew: (server) =>
      `De MCP-server ${server} is nieuw voor mij. Kijk a.u.b. wat hij over zijn hulpmiddelen zegt voordat ik ze gebruik.`,
    hasChanged: (server) =>
      `De MCP-server ${server} heeft zijn hulpmiddelen veranderd sinds u ze toestond. Wat hier staat gebruik ik pas als u het toestaat.`,
    beware:
      'Een beschrijving is voor mij als een opdracht. Zeg nee als zij meer vraagt dan waar het hulpmiddel voor is.',
    change: { added: 'nieuw', changed: 'veranderd', removed: 'niet meer aangeboden' },
    says: 'Zijn beschrijving',
    said: 'Zijn beschrijving hiervoor',
    takes: 'Zijn argumenten',
    took: 'Zijn argumenten hiervoor',
    risk: {
      onlyReads: 'De server zegt dat het alleen leest.',
      writes: 'De server zegt niet dat het alleen leest.',
      destroys: 'De server zegt dat het kan verwijderen of overschrijven.',
    },
    more: (count, file) => `En nog ${count}, allemaal in het bijgevoegde bestand ${file}.`,
    enclosed: (file) => `Alles is woord voor woord bijgevoegd als ${file}.`,
    how: 'Antwoord "ja" om dit alles precies zo toe te staan, of "nee" om het weg te laten.',
    byCommand: (command) => `Typ ${command} waar Epistle draait om het toe te staan.`,
    allowed: (server, count) => `Ik gebruik de hulpmiddelen van ${server} zoals mijn mail ze liet zien (${count}).`,
    unreached: 'De server is nu niet bereikbaar.',
    left: (server) =>
      `Wat mijn mail van ${server} liet zien blijft weg. Laat het weg in tools.allow van de server om er niets meer over te horen.`,
    changedAgain: (server, command) =>
      `${server} laat nu iets anders zien dan mijn mail, dus ik heb niets toegestaan. Ik vraag het u opnieuw, hooguit eens per dag; ${command} toont het meteen.`,
    settled: (server, allowed, who, when) =>
      `De hulpmiddelen van ${server}: ${allowed ? 'toegestaan' : 'weggelaten'} door ${who}, ${when}.`,
    expired: (server, command) =>
      `Mijn vraag over ${server} is te oud. ${command} staat de hulpmiddelen toe zoals ze nu zijn.`,
    notYours: (server) => `Over ${server} beslist een eigenaar van de hele gateway. Er is niets gedaan.`,
    notWritten: (server, command) =>
      `Ik kon niet vastleggen dat de hulpmiddelen van ${server} zijn toegestaan. ${command} zegt waarom.`,
  },
  pt: {
    takenOver: {
      subject: 'Que ferramentas de servidores MCP uso a partir de agora',
      opening:
        'O Epistle foi atualizado. A partir de agora só uso uma ferramenta de um servidor MCP tal como a permitiu, com o seu nome, a sua descrição e os seus argumentos. O que os seus servidores mostram hoje conta como permitido:',
      later: 'Se um servidor mudar uma delas ou oferecer outra, não uso essa ferramenta e pergunto-lhe.',
      unreached: (servers) =>
        `Não consegui chegar a ${servers}. O que mostrar primeiro no prazo de um dia também conta como permitido; depois pergunto-lhe.`,
    },
    subject: (server) => `posso usar as ferramentas de ${server} como estão agora?`,
    isNew: (server) =>
      `O servidor MCP ${server} é novo para mim. Antes de eu usar as suas ferramentas, veja por favor o que diz delas.`,
    hasChanged: (server) =>
      `O servidor MCP ${server} mudou as suas ferramentas desde que as permitiu. Não uso o que se segue até que o permita.`,
    beware:
      'Uma descrição é para mim como uma ordem. Diga que não se ela pedir mais do que aquilo para que a ferramenta serve.',
    change: { added: 'nova', changed: 'mudou', removed: 'já não é oferecida' },
    says: 'A sua descrição',
    said: 'A sua descrição antes',
    takes: 'Os seus argumentos',
    took: 'Os seus argumentos antes',
    risk: {
      onlyReads: 'O servidor diz que ela só lê.',
      writes: 'O servidor não diz que ela só lê.',
      destroys: 'O servidor diz que ela pode apagar ou substituir.',
    },
    more: (count, file) => `E mais ${count}, todas no ficheiro anexo ${file}.`,
    enclosed: (file) => `Tudo, palavra por palavra, vai em anexo como ${file}.`,
    how: 'Responda "sim" para permitir tudo isto exatamente como está aqui, ou "não" para o deixar de fora.',
    byCommand: (command) => `Para o permitir, escreva ${command} onde o Epistle corre.`,
    allowed: (server, count) => `Uso as ferramentas de ${server} como o meu e-mail as mostrou (${count}).`,
    unreached: 'Agora não se consegue chegar ao servidor.',
    left: (server) =>
      `O que o meu e-mail mostrou de ${server} fica de fora. Para não ouvir mais falar disso, retire-o em tools.allow do servidor.`,
    changedAgain: (server, command) =>
      `${server} mostra entretanto outra coisa que o meu e-mail, por isso não permiti nada. Volto a perguntar-lhe, no máximo uma vez por dia; ${command} mostra-o já.`,
    settled: (server, allowed, who, when) =>
      `As ferramentas de ${server}: ${allowed ? 'permitidas' : 'deixadas de fora'} por ${who}, ${when}.`,
    expired: (server, command) =>
      `A minha pergunta sobre ${server} é demasiado antiga. ${command} permite as ferramentas como estão agora.`,
    notYours: (server) => `Sobre ${server} decide um proprietário de todo o gateway. Nada foi feito.`,
    notWritten: (server, command) =>
      `Não consegui anotar que as ferramentas de ${server} estão permitidas. ${command} diz porquê.`,
  },
  pl: {
    takenOver: {
      subject: 'Których narzędzi serwerów MCP będę używać',
      opening:
        'Epistle został zaktualizowany. Od teraz używam narzędzia serwera MCP tylko w takiej postaci, na jaką była zgoda: z jego nazwą, opisem i argumentami. To, co serwery pokazują dzisiaj, uznaję za dozwolone:',
      later: 'Jeśli serwer zmieni któreś z nich lub zaproponuje inne, nie używam tego narzędzia i pytam.',
      unreached: (servers) =>
        `Nie udało się połączyć z: ${servers}. To, co pokaże się tam najpierw w ciągu doby, też uznaję za dozwolone; potem pytam.`,
    },
    subject: (server) => `czy mogę używać narzędzi serwera ${server} w obecnej postaci?`,
    isNew: (server) =>
      `Serwer MCP ${server} jest dla mnie nowy. Zanim użyję jego narzędzi, proszę spojrzeć, co o nich mówi.`,
    hasChanged: (server) =>
      `Serwer MCP ${server} zmienił swoje narzędzia, odkąd były dozwolone. Tego, co tu jest, nie używam bez zgody.`,
    beware: 'Opis jest dla mnie jak polecenie. Proszę odmówić, jeśli żąda więcej, niż narzędzie ma robić.',
    change: { added: 'nowe', changed: 'zmienione', removed: 'już nieoferowane' },
    says: 'Jego opis',
    said: 'Jego poprzedni opis',
    takes: 'Jego argumenty',
    took: 'Jego poprzednie argumenty',
    risk: {
      onlyReads: 'Serwer mówi, że narzędzie tylko czyta.',
      writes: 'Serwer nie mówi, że narzędzie tylko czyta.',
      destroys: 'Serwer mówi, że narzędzie może usuwać lub nadpisywać.',
    },
    more: (count, file) => `I jeszcze ${count}, wszystkie w załączonym pliku ${file}.`,
    enclosed: (file) => `Wszystko słowo w słowo jest w załączniku ${file}.`,
    how: 'Odpowiedź „tak” pozwala na to wszystko dokładnie w tej postaci, odpowiedź „nie” zostawia to na boku.',
    byCommand: (command) => `Aby na to pozwolić, proszę wpisać ${command} tam, gdzie działa Epistle.`,
    allowed: (server, count) => `Używam narzędzi serwera ${server} w postaci z mojej wiadomości (${count}).`,
    unreached: 'Z serwerem nie można się teraz połączyć.',
    left: (server) =>
      `To, co moja wiadomość pokazała z serwera ${server}, zostaje na boku. Aby o tym więcej nie słyszeć, proszę pominąć to w tools.allow serwera.`,
    changedAgain: (server, command) =>
      `${server} pokazuje teraz co innego niż moja wiadomość, więc na nic nie pozwoliłem. Zapytam ponownie, najwyżej raz na dobę; ${command} pokazuje to od razu.`,
    settled: (server, allowed, who, when) =>
      `Narzędzia serwera ${server}: ${allowed ? 'dozwolone' : 'zostawione na boku'}, zdecydował ${who}, ${when}.`,
    expired: (server, command) =>
      `Moje pytanie o ${server} jest zbyt stare. ${command} pozwala na narzędzia w obecnej postaci.`,
    notYours: (server) => `O serwerze ${server} decyduje właściciel całej bramki. Nic nie zrobiono.`,
    notWritten: (server, command) =>
      `Nie udało się zapisać, że narzędzia serwera ${server} są dozwolone. ${command} poda powód.`,
  },
  ja: {
    takenOver: {
      subject: '今後使う MCP サーバーのツールについて',
      opening:
        'Epistle が更新されました。今後、MCP サーバーのツールは、許可されたとおりの名前、説明、引数のものだけを使います。現在サーバーが示しているものは、許可されたものとして扱います。',
      later: 'サーバーがツールを変更したり追加したりした場合、そのツールは使わず、お尋ねします。',
      unreached: (servers) =>
        `${servers} に接続できませんでした。1日以内に最初に示されるものも許可されたものとして扱い、その後はお尋ねします。`,
    },
    subject: (server) => `${server} のツールを現在の内容で使ってもよろしいですか。`,
    isNew: (server) => `MCP サーバー ${server} は新しいものです。ツールを使う前に、その説明をご確認ください。`,
    hasChanged: (server) =>
      `MCP サーバー ${server} は、許可されたあとにツールを変更しました。ここに示すものは、許可されるまで使いません。`,
    beware:
      '説明は私にとって指示のようなものです。ツールの目的を超えることが求められていれば、「いいえ」とお答えください。',
    change: { added: '新規', changed: '変更', removed: '提供終了' },
    says: '説明',
    said: 'これまでの説明',
    takes: '引数',
    took: 'これまでの引数',
    risk: {
      onlyReads: 'サーバーによれば、読み取りだけを行います。',
      writes: 'サーバーは、読み取りだけとは言っていません。',
      destroys: 'サーバーによれば、削除や上書きを行うことがあります。',
    },
    more: (count, file) => `ほかに${count}件あります。すべて添付ファイル ${file} にあります。`,
    enclosed: (file) => `全文は ${file} として添付しています。`,
    how: 'ここにあるとおりすべて許可する場合は「はい」、使わない場合は「いいえ」とご返信ください。',
    byCommand: (command) => `許可するには、Epistle が動いている場所で ${command} と入力してください。`,
    allowed: (server, count) => `${server} のツールを、メールで示したとおりに使います（${count}件）。`,
    unreached: '現在、サーバーに接続できません。',
    left: (server) =>
      `メールで示した ${server} のツールは使いません。今後お知らせが不要な場合は、サーバーの tools.allow から外してください。`,
    changedAgain: (server, command) =>
      `${server} の内容がメールとは変わっているため、何も許可していません。改めてお尋ねします（1日1回まで）。${command} ですぐに確認できます。`,
    settled: (server, allowed, who, when) =>
      `${server} のツール：${who} が${when}に${allowed ? '許可しました' : '使わないことにしました'}。`,
    expired: (server, command) => `${server} についての質問は期限が過ぎました。${command} で現在の内容を許可できます。`,
    notYours: (server) => `${server} については、ゲートウェイ全体のオーナーが決めます。何も行っていません。`,
    notWritten: (server, command) => `${server} のツールの許可を記録できませんでした。理由は ${command} でわかります。`,
  },
  zh: {
    takenOver: {
      subject: '今后我使用哪些 MCP 服务器的工具',
      opening:
        'Epistle 已升级。今后，我只按您允许的名称、说明和参数使用 MCP 服务器的工具。您的服务器今天显示的内容视为已允许：',
      later: '如果服务器更改了其中某个工具或提供了新的工具，我不会使用它，并会询问您。',
      unreached: (servers) => `无法连接 ${servers}。它在一天之内首先显示的内容也视为已允许；之后我会询问您。`,
    },
    subject: (server) => `我可以按现在的样子使用 ${server} 的工具吗？`,
    isNew: (server) => `MCP 服务器 ${server} 对我来说是新的。在我使用它的工具之前，请先看看它的说明。`,
    hasChanged: (server) => `自您允许以来，MCP 服务器 ${server} 更改了它的工具。在您允许之前，我不会使用以下内容。`,
    beware: '对我来说，说明就像命令。如果它要求的超出了工具的用途，请回答“不”。',
    change: { added: '新增', changed: '已更改', removed: '不再提供' },
    says: '说明',
    said: '之前的说明',
    takes: '参数',
    took: '之前的参数',
    risk: {
      onlyReads: '服务器称它只读取。',
      writes: '服务器没有说它只读取。',
      destroys: '服务器称它可能删除或覆盖。',
    },
    more: (count, file) => `还有 ${count} 个，全部在附件 ${file} 中。`,
    enclosed: (file) => `全文见附件 ${file}。`,
    how: '回复“是”即完全按此处所示允许，回复“不”则不使用。',
    byCommand: (command) => `要允许，请在运行 Epistle 的地方输入 ${command}。`,
    allowed: (server, count) => `我将按邮件所示使用 ${server} 的工具（${count} 个）。`,
    unreached: '现在无法连接该服务器。',
    left: (server) => `邮件所示的 ${server} 的工具不会使用。若不想再收到通知，请在该服务器的 tools.allow 中将其去掉。`,
    changedAgain: (server, command) =>
      `${server} 现在显示的内容与我的邮件不同，因此我没有允许任何内容。我会再次询问您，每天最多一次；${command} 可立即查看。`,
    settled: (server, allowed, who, when) =>
      `${server} 的工具：已由 ${who} 于${when}${allowed ? '允许' : '决定不使用'}。`,
    expired: (server, command) => `我关于 ${server} 的问题已经过期。${command} 可按现在的样子允许其工具。`,
    notYours: (server) => `${server} 由整个网关的所有者决定。没有做任何事情。`,
    notWritten: (server, command) => `我无法记录 ${server} 的工具已获允许。${command} 会说明原因。`,
  },
};

/** What owners are told and asked of tools of MCP servers. */
export const pinnedToolWords = (language: Language): PinnedToolWords => WORDS[language];
