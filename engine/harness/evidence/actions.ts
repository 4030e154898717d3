import { type Act, DID, DONE } from './acts.ts';
import { type Judged, quoted } from './claims.ts';
import type { Evidence } from './evidence.ts';
import { DOES, type TaskFrame } from './frame.ts';
import { FILE_NAME } from './frame-words.ts';
import { anyOf, plain, type Sentence, startsWithAny } from './text.ts';

const CLAIMED = Object.entries(DID).map(([act, words]) => ({ act: act as Act, did: anyOf(words) }));
const done = startsWithAny(DONE);

/** Not what was done in this run: denied, wished, asked, told of another time, or about a text that stands in the mail. */
const NOT_CLAIMED =
  anyOf(`if|unless|would|could|should|will|might|may|whether|when|once|before|after|until|as soon as|not|never|
  n't|no|neither|nicht|kein|keine|keinen|nie|wenn|falls|sobald|ob|bevor|nachdem|würde|hätte|pas|si|jamais|quand|lorsque|aurais|
  no|nunca|cuando|non|mai|se|quando|não|niet|geen|als|zodra|nie|jeśli|gdy|inte|om|när|ikke|hvis|når|не|если|когда|yesterday|earlier|
  previously|ago|last (?:week|month|year|time|mail|message|reply|email|night|monday|tuesday|wednesday|thursday|friday)|on (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|the \\d+)|am (?:montag|dienstag|mittwoch|donnerstag|freitag)|
  in my (?:last|previous|earlier)|
  back then|gestern|vorhin|letzte|letzten|letzter|letztes|damals|früher|hier soir|la semaine dernière|le mois dernier|dans mon dernier|
  ayer|la semana pasada|el mes pasado|anteriormente|ieri|scorsa|scorso|ontem|passada|passado|gisteren|vorige|vorig|wczoraj|igår|i går|
  вчера|ранее`);
const NOT_CLAIMED_INSIDE =
  /ません|なかった|たら|れば|没有|没|如果|昨天|之前|昨日|以前|(?<!私)が|않|못|어제|(?<!제)가 |께서/u;
/** Sent to the reader: this very answer. */
const TO_READER =
  anyOf(`(?:sent|emailed|forwarded|mailed|gave|given) (?:it |this |that |them |the \\S+ )?(?:to )?you|to you|dir|ihnen|euch|dich|
  vous|t'ai|te he|le he|les he|os he|ti ho|le ho|vi ho|lhe|te|você|u|je|jou|jullie|ci|wam|panu|pani|dig|er|dere|deg|вам|тебе|您|你|あなた`);
const HERE =
  anyOf(`below|above|attached|here|following|unten|oben|anbei|angehängt|folgend|folgende|ci-dessous|ci-dessus|ci-joint|abajo|
  arriba|adjunto|sotto|sopra|allegato|abaixo|acima|anexo|onder|hieronder|hierboven|bijgevoegd|poniżej|powyżej|nedan|ovan|bifogat|nedenfor|
  ниже|выше|以下|以上|上記|如下|아래`);
const THINGS =
  anyOf(`files?|folder|document|attachment|e-?mails?|mails?|message|messages|reminder|task|datei|dateien|ordner|dokument|nachricht|
  erinnerung|aufgabe|fichiers?|dossier|document|courriel|message|rappel|tâche|archivos?|fichero|carpeta|documento|correo|mensaje|
  recordatorio|tarea|cartella|messaggio|promemoria|arquivos?|pasta|mensagem|lembrete|bestand|bestanden|map|bericht|herinnering|taak|plik|
  pliki|wiadomość|przypomnienie|filen|filer|dokumentet|meddelandet|påminnelse|файл|файлы|документ|письмо|сообщение|напоминание|задачу`);
const THINGS_INSIDE = /ファイル|フォルダ|メール|リマインダ|文件|文件夹|邮件|提醒|파일|메일|알림/u;

/** How far behind its verb the thing may stand that was dealt with: "I changed my mind about the file" is about a mind. */
const OBJECT_AFTER = 20;

const WORDS: Readonly<Record<Act, string>> = {
  send: 'a mail was sent to somebody else',
  delete: 'something was deleted',
  store: 'something was saved or changed',
  schedule: 'something was scheduled',
};

interface Known {
  readonly frame: TaskFrame | null;
  readonly evidence: readonly Evidence[];
  earlier(): readonly string[];
  isShown(part: string): boolean;
}

/** "I sent", "ich habe gelöscht": each is held against what was really called. Pure. */
export function judgeActions(sentences: readonly Sentence[], known: Known): readonly Judged[] {
  if (known.frame?.produces && known.frame.acts.length === 0) return [];
  return sentences.flatMap((sentence) => {
    const act = actClaimed(sentence, known.frame);
    if (act === null) return [];
    // Repeated from the mail or its history word for word, it is somebody else's statement.
    return sentence.text.length >= 12 && known.isShown(sentence.text) ? [] : [judge(sentence, act, known)];
  });
}

function actClaimed({ text }: Sentence, frame: TaskFrame | null): Act | null {
  const said = plain(text);
  // A question claims nothing, and what ends in a colon leads up to a text.
  if (/[?？؟:：]$/u.test(said)) return null;
  const asked = frame?.acts.map(({ act }) => act) ?? [];
  const bare = asked[0] !== undefined && done.test(said) && said.length <= 80 ? asked[0] : null;
  const claimed = CLAIMED.find(({ did }) => did.test(said));
  if (!claimed) return bare !== null && !isOtherwise(said) ? bare : null;
  const { act } = claimed;
  if (isOtherwise(said)) return null;
  if (act === 'send') return TO_READER.test(said) ? null : act;
  const match = claimed.did.exec(said);
  const near = match ? said.slice(match.index, match.index + match[0].length + OBJECT_AFTER) : '';
  const isNamed = nameOf(text) !== null || THINGS.test(near) || THINGS_INSIDE.test(said);
  return isNamed || asked.includes(act) ? act : null;
}

const isOtherwise = (said: string): boolean =>
  NOT_CLAIMED.test(said) || NOT_CLAIMED_INSIDE.test(said) || HERE.test(said);

const nameOf = (text: string): string | null => [...text.matchAll(FILE_NAME)][0]?.[0] ?? null;

function judge({ text, start, end }: Sentence, act: Act, { evidence, earlier }: Known): Judged {
  const behind = evidence.filter((item) => item.ok && did(item, act));
  const base = { kind: 'action', claim: quoted(text) } as const;
  if (behind.length > 0) return { claim: { ...base, verdict: 'supported', evidence_ids: behind.map(({ id }) => id) } };
  const before = earlier().filter((tool) => (DOES[tool] ?? []).includes(act));
  if (before.length > 0) return { claim: { ...base, verdict: 'supported', evidence_ids: before } };
  const tried = evidence.filter((item) => !item.ok && did(item, act));
  return {
    claim: {
      ...base,
      verdict: tried.length > 0 ? 'contradicted' : 'unsupported',
      evidence_ids: tried.map(({ id }) => id),
      why: `it says that ${WORDS[act]}, and ${tried.length > 0 ? `that call failed (${tried.at(-1)?.code})` : 'no call did that'}`,
    },
    change: {
      at: 'place',
      start,
      end,
      by: `[Left out: a statement that ${WORDS[act]}. ${tried.length > 0 ? 'That failed.' : 'There is no record that this was done.'}]`,
    },
  };
}

/** Whether a call can have done it; what a tool that is not ours did, nobody here knows, so it counts. */
function did({ tool, risk }: Evidence, act: Act): boolean {
  const known = DOES[tool];
  return known === undefined ? risk !== 'read' : known.includes(act);
}
