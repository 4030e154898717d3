import type { ScriptedCall } from '../../fakes/model-script.ts';
import { OWNER } from '../governance-rig.ts';
import { EVE, LENA, TIM } from '../own-words/rig.ts';
import { mailCall, type Wanted } from './rig.ts';

// Sixty sentences by which an owner says what is to hold, in ten languages, with what a model makes of each, whether it holds at
// once, and a call of the next mail that shows it.

export interface Said {
  readonly mail: string;
  readonly wanted: Omit<Wanted, 'quote'> & { readonly quote?: string };
  readonly holds: 'at once' | 'after a yes';
  /** What becomes of which call at the next mail; absent: it is words, which the prompt shows. */
  readonly probe?: { readonly call: ScriptedCall; readonly is: 'denied' | 'unasked' | 'copied' };
}

const write = (path: string): ScriptedCall => ({ name: 'write_file', arguments: { path, content: 'A' } });
const fetch = (url: string): ScriptedCall => ({ name: 'web_fetch', arguments: { url } });
const remove = (path: string): ScriptedCall => ({ name: 'delete_file', arguments: { path } });
const task: ScriptedCall = {
  name: 'schedule_task',
  arguments: { action: 'create', task: 'watch', name: 'Watch', schedule: '0 8 * * 1', prompt: 'Look.' },
};

const words = (mail: string, more: Said['wanted'] = {}): Said => ({ mail, wanted: more, holds: 'at once' });
const never = (mail: string, wanted: Said['wanted'], call: ScriptedCall): Said => ({
  mail,
  wanted: { effect: 'deny', ...wanted },
  holds: 'at once',
  probe: { call, is: 'denied' },
});
const unasked = (mail: string, wanted: Said['wanted'], call: ScriptedCall): Said => ({
  mail,
  wanted: { effect: 'allow', ...wanted },
  holds: 'after a yes',
  probe: { call, is: 'unasked' },
});
const copied = (mail: string, wanted: Said['wanted']): Said => ({
  mail,
  wanted: { effect: 'cc', ...wanted },
  holds: 'after a yes',
  probe: { call: mailCall(TIM), is: 'copied' },
});

export const WORDS: readonly Said[] = [
  words('From now on sign with Warm wishes from the harbour.'),
  words('From now on answer in two sentences at most.'),
  words('Always begin with what I have to do.'),
  words('Never use exclamation marks.'),
  words('Until Friday tell everybody that the office is closed.', { until: 'FRIDAY' }),
  words('For me, please use bullet points from now on.', { for: 'me' }),
  words('In this thread always name the reference HB-12.', { for: 'thread' }),
  words(`Answer ${TIM} formally from now on.`, { for: TIM }),
  words('Ab jetzt immer mit „Herzliche Grüße“ schließen.'),
  words('Ab sofort bitte keine Smileys mehr.'),
  words('Bis Freitag antworte nur auf Deutsch.', { until: 'FRIDAY' }),
  words('Désormais, réponds toujours en français.'),
  words('À partir de maintenant, signe « Bien à vous ».'),
  words('A partir de ahora contesta siempre de usted.'),
  words('Nunca uses abreviaturas.'),
  words('D’ora in poi firma con «Un caro saluto».'),
  words('Non usare mai il grassetto.'),
  words('A partir de agora responde sempre em português.'),
  words('Voortaan altijd eindigen met “Groeten uit de haven”.'),
  words('Od teraz zawsze odpowiadaj krótko.'),
  words('これからは必ず敬語で返事してください。'),
  words('今后请一律用中文回复。'),
  words('从现在起不要使用表情符号。'),
  words('Please never write "ASAP" in my name again.'),
];

export const DENIALS: readonly Said[] = [
  never(`From now on never write to ${TIM}.`, { whom: [TIM] }, mailCall(TIM)),
  never('Never save files for anybody.', { tools: ['write_file', 'edit_file'] }, write('a.txt')),
  never('Never write to anybody at outside.example.', { whom: ['outside.example'] }, mailCall(EVE)),
  never('Never open pages of ads.example.', { whom: ['ads.example'] }, fetch('https://www.ads.example/a')),
  never('Until Friday do not send mail to anybody.', { tools: ['send_email'], until: 'FRIDAY' }, mailCall(LENA)),
  never('Please make no more tasks by yourself.', { tools: ['schedule_task'] }, task),
  never('Never delete anything for me.', { tools: ['delete_file'] }, remove('old.txt')),
  never('When I write to you, never send mail.', { tools: ['send_email'], for: 'me' }, mailCall(LENA)),
  never(`Ab jetzt nie mehr an ${LENA} schreiben.`, { whom: [LENA] }, mailCall(LENA)),
  never('Ab sofort speichere keine Dateien mehr.', { tools: ['write_file'] }, write('b.txt')),
  never(`Désormais, n’écris plus jamais à ${TIM}.`, { whom: [TIM] }, mailCall(TIM)),
  never('Ne supprime jamais de fichier.', { tools: ['delete_file'] }, remove('c.txt')),
  never(`A partir de ahora no escribas nunca a ${EVE}.`, { whom: [EVE] }, mailCall(EVE)),
  never('D’ora in poi non salvare file.', { tools: ['write_file'] }, write('d.txt')),
  never(`A partir de agora nunca escrevas para ${LENA}.`, { tools: ['send_email'], whom: [LENA] }, mailCall(LENA)),
  never('Voortaan nooit mail aan elsewhere.example sturen.', { whom: ['elsewhere.example'] }, mailCall(TIM)),
  never(`Od teraz nigdy nie pisz do ${TIM}.`, { whom: [TIM] }, mailCall(TIM)),
  never(`今後 ${TIM} にはメールを送らないでください。`, { whom: [TIM] }, mailCall(TIM)),
  never(`从现在起不要给 ${EVE} 发邮件。`, { whom: [EVE] }, mailCall(EVE)),
  never('Never open web pages.', { tools: ['web_fetch'] }, fetch('https://a.example/')),
];

export const UNASKED: readonly Said[] = [
  unasked(`From now on write to ${TIM} without asking me.`, { tools: ['send_email'], whom: [TIM] }, mailCall(TIM)),
  unasked(
    'You need not ask me about elsewhere.example any more.',
    { tools: ['send_email'], whom: ['elsewhere.example'] },
    mailCall(LENA),
  ),
  unasked(
    `Until Friday write to ${LENA} without asking.`,
    { tools: ['send_email'], whom: [LENA], until: 'FRIDAY' },
    mailCall(LENA),
  ),
  unasked('Overwrite files without asking me.', { tools: ['write_file'] }, write('kept.txt')),
  unasked(`Ab jetzt darfst du ${TIM} ohne Rückfrage schreiben.`, { tools: ['send_email'], whom: [TIM] }, mailCall(TIM)),
  unasked(`Désormais, écris à ${TIM} sans me demander.`, { tools: ['send_email'], whom: [TIM] }, mailCall(TIM)),
  unasked(`A partir de ahora escribe a ${TIM} sin preguntarme.`, { tools: ['send_email'], whom: [TIM] }, mailCall(TIM)),
  unasked(`D’ora in poi scrivi a ${TIM} senza chiedere.`, { tools: ['send_email'], whom: [TIM] }, mailCall(TIM)),
];

export const COPIES: readonly Said[] = [
  copied(`Always put ${LENA} in Cc.`, { whom: [LENA] }),
  copied(`Always put ${LENA} in Cc when you write to ${TIM}.`, { whom: [LENA], for: TIM }),
  copied(`Until Friday copy ${EVE} on everything you send.`, { whom: [EVE], until: 'FRIDAY' }),
  copied(`Setze ab jetzt immer ${LENA} in Cc.`, { whom: [LENA] }),
  copied(`Mets toujours ${LENA} en copie.`, { whom: [LENA] }),
  copied(`Pon siempre a ${LENA} en copia.`, { whom: [LENA] }),
  copied(`Zet ${LENA} voortaan altijd in cc.`, { whom: [LENA] }),
  copied('Always put me in Cc.', { whom: [OWNER] }),
];
