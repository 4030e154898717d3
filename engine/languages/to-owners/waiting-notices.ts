// More than 3,000 lines because most of the room is the same words in ten languages; a translator reads a table in one piece.

import type { Wording } from '../language.ts';

interface Spent {
  readonly name: string;
  /** Such as `2.00` of `2.00` USD, or `40` of `40` mails. */
  readonly spent: string;
  readonly limit: string;
  readonly unit: 'USD' | 'mails';
  readonly mails: number;
  /** The sender who spent the most, and how much. */
  readonly most: string | null;
}

interface Words {
  gaveUpOwner(told: { sender: string; subject: string; reason: string; hours: number }): {
    readonly subject: string;
    readonly text: string;
  };
  keyRefused(who: { name: string; provider: string; key: string; status: string | null }): string;
  keyMissing(who: { name: string; provider: string; key: string }): string;
  outage(who: { name: string; provider: string; cause: string }): string;
  /** Some mail is not answered, others' is. */
  refusedMail(who: { name: string; provider: string; cause: string }): string;
  /** Nothing is answered before something is mended; `cause`: the vendor's own words. */
  setup(who: { name: string; provider: string; cause: string }): string;
  topUp(provider: string): string;
  /** A model that nobody has said the price of is not asked within a budget. */
  noPrice(who: { name: string; provider: string }): string;
  sayPrice: string;
  mendSettings(file: string): string;
  waitSince(since: string, mails: number, list: string): string;
  putKey(file: string): string;
  retrying(hours: number): string;
  spent(day: Spent): string;
  nearlySpent(day: Spent): string;
  spentUntil(until: string, zone: string, file: string): string;
  raise(file: string): string;
}

const most = (label: string, { most }: Spent): string => (most === null ? '' : `; ${label}: ${most}`);
/** More than the limit was spent where it was lowered meanwhile: "5 of 1 mails" would be nonsense. */
const paid = ({ spent, limit }: Spent, of: string, unit: string): string =>
  Number(spent) > Number(limit)
    ? `${`${spent} ${unit}`.trim()} (max. ${limit})`
    : `${spent} ${of} ${limit} ${unit}`.trim();
const one = (count: number, single: string, several: string): string => `${count} ${count === 1 ? single : several}`;

/** What owners are told whose mail waits for a model or for money, or waited in vain. */
export const WAITING_NOTICES: Wording<Words> = {
  en: {
    gaveUpOwner: ({ sender, subject, reason, hours }) => ({
      subject: `No answer to "${subject}"`,
      text: `The mail "${subject}" of ${sender} got no answer: ${reason}, for ${one(hours, 'hour', 'hours')}. Its sender has been told. To have it answered after all:`,
    }),
    keyRefused: ({ name, provider, key, status }) =>
      `${name} cannot work: ${provider} refused the key ${key}${status ? ` (${status})` : ''}`,
    keyMissing: ({ name, provider, key }) => `${name} cannot work: the key ${key} for ${provider} is not set`,
    outage: ({ name, provider, cause }) => `${name} cannot work: ${provider} does not answer (${cause})`,
    refusedMail: ({ name, provider, cause }) =>
      `${name} gets no answer to some mail: ${provider} does not take it (${cause})`,
    setup: ({ name, provider, cause }) => `${name} cannot work with ${provider} as it is set up: ${cause}`,
    topUp: (provider) => `Top up the account at ${provider}; the mails are then answered by themselves.`,
    noPrice: ({ name, provider }) =>
      `${name} cannot work: nobody has said what the model of ${provider} costs, so its budget cannot hold`,
    sayPrice:
      'Write its price per million tokens under `prices` in configs/inference.json, name another model, or set `allow_unpriced` there to true. The mails are then answered by themselves.',
    mendSettings: (file) =>
      `Mend that there, or name another model in \`inference\` in ${file}; the mails are then answered by themselves.`,
    waitSince: (since, mails, list) => `Since ${since}, ${one(mails, 'mail waits', 'mails wait')}: ${list}.`,
    putKey: (file) => `Put a new key into ${file}; the mails are then answered by themselves.`,
    retrying: (hours) =>
      `I try again by myself, for ${one(hours, 'hour', 'hours')} at most; the mails are answered as soon as it works.`,
    spent: (day) =>
      day.unit === 'USD'
        ? `${day.name} has spent ${paid(day, 'of', 'USD')} today (${one(day.mails, 'mail', 'mails')}${most('most', day)})`
        : `${day.name} has answered ${paid(day, 'of', 'mails')} today${most('most', day)}`,
    nearlySpent: (day) =>
      day.unit === 'USD'
        ? `${day.name} has nearly spent today's budget: ${paid(day, 'of', 'USD')} (${one(day.mails, 'mail', 'mails')}${most('most', day)})`
        : `${day.name} has nearly used up today's budget: ${paid(day, 'of', 'mails')}${most('most', day)}`,
    spentUntil: (until, zone, file) =>
      `Mail waits until ${until} (${zone}). To go on before, raise \`budget\` in ${file}.`,
    raise: (file) => `When it is spent, mail waits until the next day. The limit is \`budget\` in ${file}.`,
  },
  de: {
    gaveUpOwner: ({ sender, subject, reason, hours }) => ({
      subject: `Keine Antwort auf „${subject}“`,
      text: `Die Mail „${subject}“ von ${sender} blieb ohne Antwort: ${reason}, ${one(hours, 'Stunde', 'Stunden')} lang. Der Absender weiß Bescheid. Soll sie doch noch beantwortet werden:`,
    }),
    keyRefused: ({ name, provider, key, status }) =>
      `${name} kann nicht arbeiten: ${provider} hat den Schlüssel ${key} abgelehnt${status ? ` (${status})` : ''}`,
    keyMissing: ({ name, provider, key }) => `${name} kann nicht arbeiten: Der Schlüssel ${key} für ${provider} fehlt`,
    outage: ({ name, provider, cause }) => `${name} kann nicht arbeiten: ${provider} antwortet nicht (${cause})`,
    refusedMail: ({ name, provider, cause }) =>
      `${name} bekommt auf manche Mail keine Antwort: ${provider} nimmt sie nicht an (${cause})`,
    setup: ({ name, provider, cause }) => `${name} kann mit ${provider} so nicht arbeiten: ${cause}`,
    topUp: (provider) => `Füllen Sie das Konto bei ${provider} auf; die Mails werden dann von selbst beantwortet.`,
    noPrice: ({ name, provider }) =>
      `${name} kann nicht arbeiten: Niemand hat gesagt, was das Modell von ${provider} kostet, und so hält kein Budget`,
    sayPrice:
      'Tragen Sie seinen Preis je Million Tokens unter `prices` in configs/inference.json ein, nennen Sie ein anderes Modell, oder setzen Sie dort `allow_unpriced` auf true. Die Mails werden dann von selbst beantwortet.',
    mendSettings: (file) =>
      `Bringen Sie das dort in Ordnung, oder tragen Sie unter \`inference\` in ${file} ein anderes Modell ein; die Mails werden dann von selbst beantwortet.`,
    waitSince: (since, mails, list) =>
      `Seit ${since} ${mails === 1 ? 'wartet 1 Mail' : `warten ${mails} Mails`}: ${list}.`,
    putKey: (file) => `Tragen Sie in ${file} einen neuen Schlüssel ein; die Mails werden dann von selbst beantwortet.`,
    retrying: (hours) =>
      `Ich versuche es von selbst weiter, höchstens ${one(hours, 'Stunde', 'Stunden')}; sobald es wieder geht, werden die Mails beantwortet.`,
    spent: (day) =>
      day.unit === 'USD'
        ? `${day.name} hat heute ${paid(day, 'von', 'USD')} ausgegeben (${one(day.mails, 'Mail', 'Mails')}${most('am meisten', day)})`
        : `${day.name} hat heute ${paid(day, 'von', 'Mails')} beantwortet${most('am meisten', day)}`,
    nearlySpent: (day) =>
      day.unit === 'USD'
        ? `Das Tagesbudget von ${day.name} ist fast verbraucht: ${paid(day, 'von', 'USD')} (${one(day.mails, 'Mail', 'Mails')}${most('am meisten', day)})`
        : `Das Tagesbudget von ${day.name} ist fast verbraucht: ${paid(day, 'von', 'Mails')}${most('am meisten', day)}`,
    spentUntil: (until, zone, file) =>
      `Neue Mails warten bis ${until} (${zone}). Damit es früher weitergeht, erhöhen Sie \`budget\` in ${file}.`,
    raise: (file) =>
      `Ist es verbraucht, warten Mails bis zum nächsten Tag. Die Grenze steht unter \`budget\` in ${file}.`,
  },
  fr: {
    gaveUpOwner: ({ sender, subject, reason, hours }) => ({
      subject: `Pas de réponse à « ${subject} »`,
      text: `Le message « ${subject} » de ${sender} est resté sans réponse : ${reason}, pendant ${one(hours, 'heure', 'heures')}. L’expéditeur en est informé. Pour y répondre malgré tout :`,
    }),
    keyRefused: ({ name, provider, key, status }) =>
      `${name} ne peut pas travailler : ${provider} a refusé la clé ${key}${status ? ` (${status})` : ''}`,
    keyMissing: ({ name, provider, key }) =>
      `${name} ne peut pas travailler : la clé ${key} pour ${provider} n’est pas définie`,
    outage: ({ name, provider, cause }) => `${name} ne peut pas travailler : ${provider} ne répond pas (${cause})`,
    refusedMail: ({ name, provider, cause }) =>
      `${name} n’obtient pas de réponse à certains messages : ${provider} ne les accepte pas (${cause})`,
    setup: ({ name, provider, cause }) =>
      `${name} ne peut pas travailler avec ${provider} dans cette configuration : ${cause}`,
    topUp: (provider) => `Rechargez le compte chez ${provider} ; il sera ensuite répondu aux messages automatiquement.`,
    noPrice: ({ name, provider }) =>
      `${name} ne peut pas travailler : personne n’a dit ce que coûte le modèle de ${provider}, et aucun budget ne peut donc tenir`,
    sayPrice:
      'Indiquez son prix par million de jetons sous `prices` dans configs/inference.json, choisissez un autre modèle, ou mettez-y `allow_unpriced` à true. Il sera ensuite répondu aux messages automatiquement.',
    mendSettings: (file) =>
      `Corrigez cela sur place, ou indiquez un autre modèle sous \`inference\` dans ${file} ; il sera ensuite répondu aux messages automatiquement.`,
    waitSince: (since, mails, list) =>
      `Depuis ${since}, ${mails === 1 ? '1 message attend' : `${mails} messages attendent`} : ${list}.`,
    putKey: (file) => `Mettez une nouvelle clé dans ${file} ; il sera ensuite répondu aux messages automatiquement.`,
    retrying: (hours) =>
      `Je réessaie de moi-même, pendant ${one(hours, 'heure', 'heures')} au plus ; je répondrai aux messages dès que cela fonctionnera.`,
    spent: (day) =>
      day.unit === 'USD'
        ? `${day.name} a dépensé ${paid(day, 'sur', 'USD')} aujourd’hui (${one(day.mails, 'message', 'messages')}${most('le plus', day)})`
        : `${day.name} a traité ${paid(day, 'sur', 'messages')} aujourd’hui${most('le plus', day)}`,
    nearlySpent: (day) =>
      day.unit === 'USD'
        ? `Le budget du jour de ${day.name} est presque épuisé : ${paid(day, 'sur', 'USD')} (${one(day.mails, 'message', 'messages')}${most('le plus', day)})`
        : `Le budget du jour de ${day.name} est presque épuisé : ${paid(day, 'sur', 'messages')}${most('le plus', day)}`,
    spentUntil: (until, zone, file) =>
      `Les messages attendent jusqu’à ${until} (${zone}). Pour reprendre plus tôt, augmentez \`budget\` dans ${file}.`,
    raise: (file) =>
      `Une fois le budget épuisé, les messages attendent le lendemain. La limite est \`budget\` dans ${file}.`,
  },
  es: {
    gaveUpOwner: ({ sender, subject, reason, hours }) => ({
      subject: `Sin respuesta a «${subject}»`,
      text: `El correo «${subject}» de ${sender} se ha quedado sin respuesta: ${reason}, durante ${one(hours, 'hora', 'horas')}. El remitente lo sabe. Para responderlo de todos modos:`,
    }),
    keyRefused: ({ name, provider, key, status }) =>
      `${name} no puede trabajar: ${provider} ha rechazado la clave ${key}${status ? ` (${status})` : ''}`,
    keyMissing: ({ name, provider, key }) => `${name} no puede trabajar: falta la clave ${key} para ${provider}`,
    outage: ({ name, provider, cause }) => `${name} no puede trabajar: ${provider} no responde (${cause})`,
    refusedMail: ({ name, provider, cause }) =>
      `${name} no obtiene respuesta para algunos mensajes: ${provider} no los acepta (${cause})`,
    setup: ({ name, provider, cause }) =>
      `${name} no puede trabajar con ${provider} tal como está configurado: ${cause}`,
    topUp: (provider) => `Recargue la cuenta en ${provider}; después los mensajes se responden solos.`,
    noPrice: ({ name, provider }) =>
      `${name} no puede trabajar: nadie ha dicho lo que cuesta el modelo de ${provider}, así que ningún presupuesto se puede cumplir`,
    sayPrice:
      'Escriba su precio por millón de tokens en `prices` de configs/inference.json, indique otro modelo o ponga allí `allow_unpriced` en true. Después los mensajes se responden solos.',
    mendSettings: (file) =>
      `Corríjalo allí, o indique otro modelo en \`inference\` en ${file}; después los mensajes se responden solos.`,
    waitSince: (since, mails, list) =>
      `Desde las ${since} ${mails === 1 ? 'espera 1 correo' : `esperan ${mails} correos`}: ${list}.`,
    putKey: (file) => `Ponga una clave nueva en ${file}; después los correos se responderán solos.`,
    retrying: (hours) =>
      `Lo seguiré intentando, como máximo ${one(hours, 'hora', 'horas')}; responderé a los correos en cuanto funcione.`,
    spent: (day) =>
      day.unit === 'USD'
        ? `${day.name} ha gastado hoy ${paid(day, 'de', 'USD')} (${one(day.mails, 'correo', 'correos')}${most('quien más', day)})`
        : `${day.name} ha atendido hoy ${paid(day, 'de', 'correos')}${most('quien más', day)}`,
    nearlySpent: (day) =>
      day.unit === 'USD'
        ? `El presupuesto de hoy de ${day.name} está casi agotado: ${paid(day, 'de', 'USD')} (${one(day.mails, 'correo', 'correos')}${most('quien más', day)})`
        : `El presupuesto de hoy de ${day.name} está casi agotado: ${paid(day, 'de', 'correos')}${most('quien más', day)}`,
    spentUntil: (until, zone, file) =>
      `El correo espera hasta las ${until} (${zone}). Para continuar antes, aumente \`budget\` en ${file}.`,
    raise: (file) => `Cuando se agote, el correo esperará hasta el día siguiente. El límite es \`budget\` en ${file}.`,
  },
  it: {
    gaveUpOwner: ({ sender, subject, reason, hours }) => ({
      subject: `Nessuna risposta a «${subject}»`,
      text: `La mail «${subject}» di ${sender} è rimasta senza risposta: ${reason}, per ${one(hours, 'ora', 'ore')}. Il mittente è stato avvisato. Per rispondere comunque:`,
    }),
    keyRefused: ({ name, provider, key, status }) =>
      `${name} non può lavorare: ${provider} ha rifiutato la chiave ${key}${status ? ` (${status})` : ''}`,
    keyMissing: ({ name, provider, key }) => `${name} non può lavorare: manca la chiave ${key} per ${provider}`,
    outage: ({ name, provider, cause }) => `${name} non può lavorare: ${provider} non risponde (${cause})`,
    refusedMail: ({ name, provider, cause }) =>
      `${name} non ottiene risposta per alcuni messaggi: ${provider} non li accetta (${cause})`,
    setup: ({ name, provider, cause }) => `${name} non può lavorare con ${provider} così com’è configurato: ${cause}`,
    topUp: (provider) => `Ricarichi il conto presso ${provider}; poi ai messaggi si risponde da sé.`,
    noPrice: ({ name, provider }) =>
      `${name} non può lavorare: nessuno ha detto quanto costa il modello di ${provider}, quindi nessun budget può reggere`,
    sayPrice:
      'Scriva il suo prezzo per milione di token sotto `prices` in configs/inference.json, indichi un altro modello, oppure metta lì `allow_unpriced` a true. Dopo i messaggi ricevono risposta da soli.',
    mendSettings: (file) =>
      `Lo corregga lì, oppure indichi un altro modello in \`inference\` in ${file}; poi ai messaggi si risponde da sé.`,
    waitSince: (since, mails, list) =>
      `Dalle ${since} ${mails === 1 ? 'aspetta 1 mail' : `aspettano ${mails} mail`}: ${list}.`,
    putKey: (file) => `Inserisca una nuova chiave in ${file}; le mail riceveranno poi risposta da sole.`,
    retrying: (hours) =>
      `Continuo a riprovare da solo, al massimo per ${one(hours, 'ora', 'ore')}; risponderò alle mail appena funziona.`,
    spent: (day) =>
      day.unit === 'USD'
        ? `${day.name} ha speso oggi ${paid(day, 'di', 'USD')} (${one(day.mails, 'mail', 'mail')}${most('chi di più', day)})`
        : `${day.name} ha gestito oggi ${paid(day, 'di', 'mail')}${most('chi di più', day)}`,
    nearlySpent: (day) =>
      day.unit === 'USD'
        ? `Il budget di oggi di ${day.name} è quasi esaurito: ${paid(day, 'di', 'USD')} (${one(day.mails, 'mail', 'mail')}${most('chi di più', day)})`
        : `Il budget di oggi di ${day.name} è quasi esaurito: ${paid(day, 'di', 'mail')}${most('chi di più', day)}`,
    spentUntil: (until, zone, file) =>
      `Le mail aspettano fino alle ${until} (${zone}). Per riprendere prima, aumenti \`budget\` in ${file}.`,
    raise: (file) => `Quando sarà esaurito, le mail aspetteranno il giorno dopo. Il limite è \`budget\` in ${file}.`,
  },
  nl: {
    gaveUpOwner: ({ sender, subject, reason, hours }) => ({
      subject: `Geen antwoord op "${subject}"`,
      text: `De mail "${subject}" van ${sender} bleef zonder antwoord: ${reason}, ${one(hours, 'uur', 'uur')} lang. De afzender weet ervan. Om alsnog te laten antwoorden:`,
    }),
    keyRefused: ({ name, provider, key, status }) =>
      `${name} kan niet werken: ${provider} weigert de sleutel ${key}${status ? ` (${status})` : ''}`,
    keyMissing: ({ name, provider, key }) => `${name} kan niet werken: de sleutel ${key} voor ${provider} ontbreekt`,
    outage: ({ name, provider, cause }) => `${name} kan niet werken: ${provider} antwoordt niet (${cause})`,
    refusedMail: ({ name, provider, cause }) =>
      `${name} krijgt op sommige mail geen antwoord: ${provider} neemt die niet aan (${cause})`,
    setup: ({ name, provider, cause }) => `${name} kan met ${provider} zo niet werken: ${cause}`,
    topUp: (provider) => `Vul het tegoed bij ${provider} aan; de mails worden daarna vanzelf beantwoord.`,
    noPrice: ({ name, provider }) =>
      `${name} kan niet werken: niemand heeft gezegd wat het model van ${provider} kost, dus geen budget houdt stand`,
    sayPrice:
      'Zet de prijs per miljoen tokens onder `prices` in configs/inference.json, noem een ander model, of zet daar `allow_unpriced` op true. Daarna wordt de mail vanzelf beantwoord.',
    mendSettings: (file) =>
      `Herstel dat daar, of noem een ander model bij \`inference\` in ${file}; de mails worden daarna vanzelf beantwoord.`,
    waitSince: (since, mails, list) =>
      `Sinds ${since} ${mails === 1 ? 'wacht er 1 mail' : `wachten er ${mails} mails`}: ${list}.`,
    putKey: (file) => `Zet een nieuwe sleutel in ${file}; daarna worden de mails vanzelf beantwoord.`,
    retrying: (hours) =>
      `Ik blijf het vanzelf proberen, hoogstens ${one(hours, 'uur', 'uur')}; de mails worden beantwoord zodra het weer werkt.`,
    spent: (day) =>
      day.unit === 'USD'
        ? `${day.name} heeft vandaag ${paid(day, 'van', 'USD')} uitgegeven (${one(day.mails, 'mail', 'mails')}${most('meeste', day)})`
        : `${day.name} heeft vandaag ${paid(day, 'van', 'mails')} behandeld${most('meeste', day)}`,
    nearlySpent: (day) =>
      day.unit === 'USD'
        ? `Het dagbudget van ${day.name} is bijna op: ${paid(day, 'van', 'USD')} (${one(day.mails, 'mail', 'mails')}${most('meeste', day)})`
        : `Het dagbudget van ${day.name} is bijna op: ${paid(day, 'van', 'mails')}${most('meeste', day)}`,
    spentUntil: (until, zone, file) =>
      `Mail wacht tot ${until} (${zone}). Om eerder verder te gaan, verhoog \`budget\` in ${file}.`,
    raise: (file) => `Als het op is, wacht mail tot de volgende dag. De grens is \`budget\` in ${file}.`,
  },
  pt: {
    gaveUpOwner: ({ sender, subject, reason, hours }) => ({
      subject: `Sem resposta a "${subject}"`,
      text: `O e-mail "${subject}" de ${sender} ficou sem resposta: ${reason}, durante ${one(hours, 'hora', 'horas')}. O remetente foi avisado. Para que seja respondido mesmo assim:`,
    }),
    keyRefused: ({ name, provider, key, status }) =>
      `${name} não consegue trabalhar: ${provider} recusou a chave ${key}${status ? ` (${status})` : ''}`,
    keyMissing: ({ name, provider, key }) => `${name} não consegue trabalhar: falta a chave ${key} para ${provider}`,
    outage: ({ name, provider, cause }) => `${name} não consegue trabalhar: ${provider} não responde (${cause})`,
    refusedMail: ({ name, provider, cause }) =>
      `${name} não obtém resposta para algumas mensagens: ${provider} não as aceita (${cause})`,
    setup: ({ name, provider, cause }) =>
      `${name} não consegue trabalhar com ${provider} tal como está configurado: ${cause}`,
    topUp: (provider) => `Carregue a conta em ${provider}; depois as mensagens são respondidas automaticamente.`,
    noPrice: ({ name, provider }) =>
      `${name} não consegue trabalhar: ninguém disse quanto custa o modelo de ${provider}, por isso nenhum orçamento se pode cumprir`,
    sayPrice:
      'Escreva o preço por milhão de tokens em `prices` de configs/inference.json, indique outro modelo, ou ponha aí `allow_unpriced` em true. Depois as mensagens são respondidas automaticamente.',
    mendSettings: (file) =>
      `Corrija isso lá, ou indique outro modelo em \`inference\` em ${file}; depois as mensagens são respondidas automaticamente.`,
    waitSince: (since, mails, list) =>
      `Desde as ${since}, ${mails === 1 ? '1 e-mail espera' : `${mails} e-mails esperam`}: ${list}.`,
    putKey: (file) => `Ponha uma chave nova em ${file}; depois os e-mails são respondidos automaticamente.`,
    retrying: (hours) =>
      `Continuo a tentar sozinho, no máximo durante ${one(hours, 'hora', 'horas')}; respondo aos e-mails assim que funcionar.`,
    spent: (day) =>
      day.unit === 'USD'
        ? `${day.name} gastou hoje ${paid(day, 'de', 'USD')} (${one(day.mails, 'e-mail', 'e-mails')}${most('quem mais', day)})`
        : `${day.name} tratou hoje ${paid(day, 'de', 'e-mails')}${most('quem mais', day)}`,
    nearlySpent: (day) =>
      day.unit === 'USD'
        ? `O orçamento de hoje de ${day.name} está quase no fim: ${paid(day, 'de', 'USD')} (${one(day.mails, 'e-mail', 'e-mails')}${most('quem mais', day)})`
        : `O orçamento de hoje de ${day.name} está quase no fim: ${paid(day, 'de', 'e-mails')}${most('quem mais', day)}`,
    spentUntil: (until, zone, file) =>
      `Os e-mails esperam até às ${until} (${zone}). Para continuar antes, aumente \`budget\` em ${file}.`,
    raise: (file) => `Quando acabar, os e-mails esperam pelo dia seguinte. O limite é \`budget\` em ${file}.`,
  },
  pl: {
    gaveUpOwner: ({ sender, subject, reason, hours }) => ({
      subject: `Brak odpowiedzi na „${subject}”`,
      text: `Wiadomość „${subject}” od ${sender} pozostała bez odpowiedzi: ${reason} (${hours} godz.). Nadawca o tym wie. Aby mimo to na nią odpowiedzieć:`,
    }),
    keyRefused: ({ name, provider, key, status }) =>
      `${name} nie może pracować: ${provider} odrzuca klucz ${key}${status ? ` (${status})` : ''}`,
    keyMissing: ({ name, provider, key }) => `${name} nie może pracować: brak klucza ${key} dla ${provider}`,
    outage: ({ name, provider, cause }) => `${name} nie może pracować: ${provider} nie odpowiada (${cause})`,
    refusedMail: ({ name, provider, cause }) =>
      `${name} nie dostaje odpowiedzi na niektóre wiadomości: ${provider} ich nie przyjmuje (${cause})`,
    setup: ({ name, provider, cause }) => `${name} nie może pracować z ${provider} w tej konfiguracji: ${cause}`,
    topUp: (provider) => `Doładuj konto w ${provider}; wiadomości zostaną potem obsłużone same.`,
    noPrice: ({ name, provider }) =>
      `${name} nie może pracować: nikt nie podał, ile kosztuje model ${provider}, więc żaden budżet nie zadziała`,
    sayPrice:
      'Wpisz jego cenę za milion tokenów w `prices` w configs/inference.json, podaj inny model albo ustaw tam `allow_unpriced` na true. Wiadomości zostaną potem obsłużone same.',
    mendSettings: (file) =>
      `Napraw to tam albo podaj inny model w \`inference\` w ${file}; wiadomości zostaną potem obsłużone same.`,
    waitSince: (since, mails, list) => `Od ${since} czekają wiadomości (${mails}): ${list}.`,
    putKey: (file) => `Wpisz nowy klucz do ${file}; wiadomości otrzymają wtedy odpowiedź automatycznie.`,
    retrying: (hours) =>
      `Próbuję dalej samodzielnie, najwyżej przez ${hours} godz.; odpowiem na wiadomości, gdy tylko usługa zadziała.`,
    spent: (day) =>
      day.unit === 'USD'
        ? `Dzisiejsze wydatki ${day.name}: ${paid(day, 'z', 'USD')} (wiadomości: ${day.mails}${most('najwięcej', day)})`
        : `Wiadomości obsłużone dziś przez ${day.name}: ${paid(day, 'z', '')}${most('najwięcej', day)}`,
    nearlySpent: (day) =>
      day.unit === 'USD'
        ? `Dzisiejszy budżet ${day.name} jest prawie wyczerpany: ${paid(day, 'z', 'USD')} (wiadomości: ${day.mails}${most('najwięcej', day)})`
        : `Dzisiejszy budżet ${day.name} jest prawie wyczerpany: wiadomości ${paid(day, 'z', '')}${most('najwięcej', day)}`,
    spentUntil: (until, zone, file) =>
      `Wiadomości czekają do ${until} (${zone}). Aby wznowić wcześniej, zwiększ \`budget\` w ${file}.`,
    raise: (file) => `Gdy się wyczerpie, wiadomości poczekają do następnego dnia. Limit to \`budget\` w ${file}.`,
  },
  ja: {
    gaveUpOwner: ({ sender, subject, reason, hours }) => ({
      subject: `「${subject}」に返信できませんでした`,
      text: `${sender} からのメール「${subject}」は、${reason}ため、${hours}時間待っても返信できませんでした。送信者には知らせてあります。改めて返信させるには:`,
    }),
    keyRefused: ({ name, provider, key, status }) =>
      `${name} は作業できません: ${provider} がキー ${key} を拒否しました${status ? ` (${status})` : ''}`,
    keyMissing: ({ name, provider, key }) => `${name} は作業できません: ${provider} のキー ${key} が設定されていません`,
    outage: ({ name, provider, cause }) => `${name} は作業できません: ${provider} が応答しません (${cause})`,
    refusedMail: ({ name, provider, cause }) => `${name}: ${provider} が受け付けないメールがあります (${cause})`,
    setup: ({ name, provider, cause }) => `${name} は現在の ${provider} の設定では動作できません: ${cause}`,
    topUp: (provider) => `${provider} のアカウントに残高を追加してください。その後、メールには自動的に返信されます。`,
    noPrice: ({ name, provider }) =>
      `${name} は作業できません：${provider} のモデルの料金が設定されていないため、予算を守れません`,
    sayPrice:
      'configs/inference.json の `prices` に100万トークンあたりの料金を書くか、別のモデルを指定するか、`allow_unpriced` を true にしてください。その後、メールには自動的に返信します。',
    mendSettings: (file) =>
      `そちらで対応するか、${file} の \`inference\` に別のモデルを指定してください。その後、メールには自動的に返信されます。`,
    waitSince: (since, mails, list) => `${since} から${mails}件のメールが待っています: ${list}。`,
    putKey: (file) => `${file} に新しいキーを入れてください。その後、メールには自動で返信します。`,
    retrying: (hours) => `最長${hours}時間、自動で再試行します。サービスが復旧しだい返信します。`,
    spent: (day) =>
      day.unit === 'USD'
        ? `${day.name} の本日の支出: ${paid(day, '/', 'USD')}（メール${day.mails}件${most('最多', day)}）`
        : `${day.name} の本日の対応件数: ${paid(day, '/', '件')}${most('最多', day)}`,
    nearlySpent: (day) =>
      day.unit === 'USD'
        ? `${day.name} の本日の予算が残りわずかです: ${paid(day, '/', 'USD')}（メール${day.mails}件${most('最多', day)}）`
        : `${day.name} の本日の予算が残りわずかです: ${paid(day, '/', '件')}${most('最多', day)}`,
    spentUntil: (until, zone, file) =>
      `メールは ${until}（${zone}）まで待ちます。早く再開するには ${file} の \`budget\` を増やしてください。`,
    raise: (file) => `使い切ると、メールは翌日まで待ちます。上限は ${file} の \`budget\` です。`,
  },
  zh: {
    gaveUpOwner: ({ sender, subject, reason, hours }) => ({
      subject: `未能回复“${subject}”`,
      text: `${sender} 的邮件“${subject}”没有得到回复：${reason}，已持续 ${hours} 小时。发件人已获通知。如仍要回复：`,
    }),
    keyRefused: ({ name, provider, key, status }) =>
      `${name} 无法工作：${provider} 拒绝了密钥 ${key}${status ? `（${status}）` : ''}`,
    keyMissing: ({ name, provider, key }) => `${name} 无法工作：未设置 ${provider} 的密钥 ${key}`,
    outage: ({ name, provider, cause }) => `${name} 无法工作：${provider} 没有响应（${cause}）`,
    refusedMail: ({ name, provider, cause }) => `${name}：${provider} 不接受部分邮件 (${cause})`,
    setup: ({ name, provider, cause }) => `${name} 无法以当前设置使用 ${provider}：${cause}`,
    topUp: (provider) => `请为 ${provider} 的账户充值；之后邮件会自动得到答复。`,
    noPrice: ({ name, provider }) => `${name} 无法工作：没有人说明 ${provider} 的模型的价格，因此预算无法执行`,
    sayPrice:
      '请在 configs/inference.json 的 `prices` 中写上每百万词元的价格，或换一个模型，或在那里将 `allow_unpriced` 设为 true。之后邮件会自动得到回复。',
    mendSettings: (file) => `请在那里处理，或在 ${file} 的 \`inference\` 中指定其他模型；之后邮件会自动得到答复。`,
    waitSince: (since, mails, list) => `自 ${since} 起有 ${mails} 封邮件在等待：${list}。`,
    putKey: (file) => `请在 ${file} 中填入新的密钥，之后这些邮件会自动得到回复。`,
    retrying: (hours) => `我会自动重试，最长 ${hours} 小时；服务恢复后立即回复这些邮件。`,
    spent: (day) =>
      day.unit === 'USD'
        ? `${day.name} 今天已花费 ${paid(day, '/', 'USD')}（${day.mails} 封邮件${most('最多', day)}）`
        : `${day.name} 今天已处理 ${paid(day, '/', '封邮件')}${most('最多', day)}`,
    nearlySpent: (day) =>
      day.unit === 'USD'
        ? `${day.name} 今天的预算即将用完：${paid(day, '/', 'USD')}（${day.mails} 封邮件${most('最多', day)}）`
        : `${day.name} 今天的预算即将用完：${paid(day, '/', '封邮件')}${most('最多', day)}`,
    spentUntil: (until, zone, file) => `邮件将等到 ${until}（${zone}）。要提前继续，请提高 ${file} 中的 \`budget\`。`,
    raise: (file) => `用完后，邮件会等到第二天。上限是 ${file} 中的 \`budget\`。`,
  },
};

/** As people know the vendors of the bundled providers. */
export const VENDORS: Readonly<Record<string, string>> = {
  anthropic: 'Anthropic',
  openai: 'OpenAI',
  gemini: 'Gemini',
  grok: 'xAI',
  openrouter: 'OpenRouter',
  ollama: 'Ollama',
};
