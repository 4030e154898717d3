export type Language = 'en' | 'de' | 'es';

const COMMON: Readonly<Record<Language, RegExp>> = {
  en: /\b(?:the|and|you|please|is|are|for|what|when|do|hello|thanks?)\b/gi,
  de: /\b(?:der|die|das|und|ist|bitte|sie|ich|wann|wie|für|nicht|hallo|danke|den|uns)\b/gi,
  es: /\b(?:el|la|los|las|que|por|favor|para|es|está|cuánto|cuándo|hola|gracias|una?|mi)\b|[¿¡]/gi,
};

/** By its common words; English where nothing tells. */
export function languageOf(text: string): Language {
  const counted = (['en', 'de', 'es'] as const).map((language) => ({
    language,
    count: text.match(COMMON[language])?.length ?? 0,
  }));
  return counted.toSorted((one, other) => other.count - one.count)[0]?.language ?? 'en';
}

/** What a mail may want, in the order in which it is looked for. */
export const WANTS = {
  delete: /\b(?:delete|remove|throw away)\b.*\b(?:files?|notes?|drafts?|old)\b|lösch|\bborra|elimina/is,
  every: /\b(?:every|each)\s+(?:day|morning|mon|tues|wednes|thurs|fri|satur|sun)|\bjeden\s|\bcada\s/i,
  remember: /\bremember\b|from now on|merk(?:e)?\s+dir|\bab jetzt\b|in zukunft|\brecuerda\b|a partir de ahora/i,
  note: /\b(?:note down|make a note|write down|put .* on the list)\b|notier|schreib(?:e)? .*\bauf\b|\banota\b|\bapunta\b/i,
  write:
    /\b(?:write|send|mail|tell|reply)\b|\b(?:schreib|schick|sende|maile)|\b(?:escribe|env[ií]a|manda|escr[ií]bele)/i,
  looked: /\b(?:what did|when did|did .* (?:write|ask|order))\b|was hat|wann hat|qué (?:dijo|escribió|pidió)/i,
  decide: /discount|refund|sponsor|rabatt|nachlass|erstattung|descuento|reembolso|patrocin/i,
  price: /\b(?:price|costs?|how much|quote|offer)\b|preis|kostet|angebot|precio|cuesta|cuánto|presupuesto/i,
  hours: /opening hours|\bopen\b|\bclosed?\b|geöffnet|öffnungszeit|\boffen\b|horario|abiert|abrís|abren|cerrad/i,
  thanks: /^\W*(?:thanks|thank you|many thanks|danke|vielen dank|gracias|muchas gracias)\b/i,
} as const;

export type Want = keyof typeof WANTS;

/** What is sold, as three languages name it. */
export const ARTICLES = {
  'Tyre 28 inch': /28|tyre|tire|reifen|cubierta|neumático/i,
  'Tyre 26 inch': /\b26\b/,
  'Inner tube': /inner tube|schlauch|cámara/i,
  'Brake pads': /brake|brems|freno/i,
  Chain: /\bchain|\bkette|cadena/i,
  'Front light': /\blight|licht|\bluz/i,
  Inspection: /inspect|inspektion|revisión|service/i,
  'Child seat': /child seat|kindersitz|silla infantil/i,
} as const;

const DAYS: readonly RegExp[] = [
  /sunday|sonntag|domingo/i,
  /monday|montag|lunes/i,
  /tuesday|dienstag|martes/i,
  /wednesday|mittwoch|miércoles/i,
  /thursday|donnerstag|jueves/i,
  /friday|freitag|viernes/i,
  /saturday|samstag|sábado/i,
];

/** When something that is to be done again and again is done, as cron has it. */
export function cronIn(text: string): string {
  const day = DAYS.findIndex((names) => names.test(text));
  const [, hour = '9', minute = '0'] = /(?:\bat|\bum|a las?)\s+(\d{1,2})(?:[:.](\d\d))?/i.exec(text) ?? [];
  return `${Number(minute)} ${Number(hour)} * * ${day < 0 ? '*' : day}`;
}

/** The same thing said to each in the language of the mail. */
export const SAY = {
  look: { en: 'Let me look that up.', de: 'Ich sehe kurz nach.', es: 'Lo miro un momento.' },
  unknown: {
    en: 'I could not find that in what the shop has given me. Please ask again with a few more words, or call the shop.',
    de: 'Das steht in nichts, was mir der Laden gegeben hat. Bitte fragen Sie mit ein paar Worten mehr, oder rufen Sie an.',
    es: 'No lo he encontrado en lo que me ha dado la tienda. Pregunte con algunas palabras más o llame a la tienda.',
  },
  hours: { en: 'These are our hours:', de: 'So haben wir geöffnet:', es: 'Este es nuestro horario:' },
  prices: { en: 'These are our prices:', de: 'Das sind unsere Preise:', es: 'Estos son nuestros precios:' },
  quoteBegins: {
    en: 'Thank you for your interest. We can offer you:',
    de: 'Vielen Dank für Ihr Interesse. Wir bieten Ihnen an:',
    es: 'Gracias por su interés. Le ofrecemos:',
  },
  quoteEnds: {
    en: 'The offer holds for 14 days. Reply to this mail if you would like it.',
    de: 'Das Angebot gilt 14 Tage. Antworten Sie auf diese Mail, wenn Sie es möchten.',
    es: 'La oferta vale 14 días. Responda a este correo si la quiere.',
  },
  quoteSubject: { en: 'Your quote', de: 'Ihr Angebot', es: 'Su presupuesto' },
  newsSubject: { en: 'From the bicycle shop', de: 'Aus dem Fahrradladen', es: 'De la tienda de bicicletas' },
  writing: { en: 'I will write the mail now.', de: 'Ich schreibe die Mail jetzt.', es: 'Escribo el correo ahora.' },
  written: { en: 'I have written to', de: 'Ich habe geschrieben an', es: 'He escrito a' },
  notWritten: { en: 'I have not written to', de: 'Nicht geschrieben habe ich an', es: 'No he escrito a' },
  planning: { en: 'I will set it up.', de: 'Ich richte es ein.', es: 'Lo preparo.' },
  planned: {
    en: 'It is set up; the first time is',
    de: 'Es ist eingerichtet; das erste Mal am',
    es: 'Está preparado; la primera vez es',
  },
  waits: {
    en: 'I do it as soon as it is approved.',
    de: 'Das mache ich, sobald es genehmigt ist.',
    es: 'Lo hago en cuanto esté aprobado.',
  },
  deleting: {
    en: 'I found these files and will delete them:',
    de: 'Diese Dateien habe ich gefunden und lösche sie:',
    es: 'He encontrado estos archivos y los borro:',
  },
  deleted: { en: 'Deleted:', de: 'Gelöscht:', es: 'Borrado:' },
  kept: { en: 'Still there:', de: 'Noch da:', es: 'Sigue ahí:' },
  noFiles: { en: 'There is no such file.', de: 'Eine solche Datei gibt es nicht.', es: 'No hay ningún archivo así.' },
  asking: {
    en: 'I cannot decide that, so I ask Olga.',
    de: 'Das kann ich nicht entscheiden, ich frage Olga.',
    es: 'No puedo decidirlo; pregunto a Olga.',
  },
  answered: { en: 'Olga says:', de: 'Olga sagt:', es: 'Olga dice:' },
  remembered: { en: 'I will remember that:', de: 'Das merke ich mir:', es: 'Lo recordaré:' },
  noted: { en: 'I have written it down in', de: 'Ich habe es notiert in', es: 'Lo he anotado en' },
  foundMail: {
    en: 'This is what I have found in the mail:',
    de: 'Das habe ich in der Post gefunden:',
    es: 'Esto he encontrado en el correo:',
  },
  failed: { en: 'That did not work:', de: 'Das ging nicht:', es: 'No ha funcionado:' },
  thanks: { en: 'You are welcome!', de: 'Gern geschehen!', es: '¡De nada!' },
  plain: {
    en: 'Thank you for your mail. I have read it. Tell me if I am to do anything about it.',
    de: 'Danke für die Mail, ich habe sie gelesen. Sagen Sie mir, wenn ich etwas tun soll.',
    es: 'Gracias por su correo, lo he leído. Dígame si debo hacer algo.',
  },
} as const satisfies Record<string, Record<Language, string>>;
