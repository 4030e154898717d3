import type { Wording } from '../language.ts';

interface Words {
  readonly stopped: string;
  /** `held`: mails that have not left; `waiting`: mails that nobody has begun to answer. */
  stop(done: { ended: number; held: number; waiting: number }): string;
  cutOff(tools: string): string;
  readonly resumed: string;
  resume(waited: number): string;
  readonly stillStopped: string;
  /** RESUME was not all that the mail said; `line`: what stands beside it. */
  notAlone(line: string): string;
}

const one = (count: number, single: string, several: string): string => `${count} ${count === 1 ? single : several}`;

/** What owners are told who have written STOP or RESUME. */
export const OWNER_COMMANDS: Wording<Words> = {
  en: {
    stopped: 'Stopped',
    stop: ({ ended, held, waiting }) =>
      `I have stopped. ${one(ended, 'job was', 'jobs were')} ended, ${one(held, 'mail is', 'mails are')} held back, ${one(waiting, 'mail waits', 'mails wait')} for an answer. New mail waits, too. Reply RESUME to go on.`,
    cutOff: (tools) => `Cut off in the middle of a call: ${tools}. It may or may not have taken effect.`,
    resumed: 'Going on',
    resume: (waited) =>
      waited === 0
        ? 'I go on. No mail waited.'
        : `${one(waited, 'mail', 'mails')} waited; I answer ${waited === 1 ? 'it' : 'them'} now.`,
    stillStopped: 'Still stopped',
    notAlone: (line) =>
      `Your mail says RESUME, and beside it this: "${line}". I have not gone on, because it could change what is meant. Please send RESUME alone.`,
  },
  de: {
    stopped: 'Angehalten',
    stop: ({ ended, held, waiting }) =>
      `Ich habe angehalten. Abgebrochene Arbeiten: ${ended}. Zurückgehaltene Mails: ${held}. Auf Antwort warten: ${waiting}. Auch neue Mails warten. Antworten Sie mit RESUME, damit ich weitermache.`,
    cutOff: (tools) => `Mitten in einem Aufruf abgebrochen: ${tools}. Ob er noch gewirkt hat, lässt sich nicht sagen.`,
    resumed: 'Es geht weiter',
    resume: (waited) =>
      waited === 0
        ? 'Ich mache weiter. Es hat keine Mail gewartet.'
        : waited === 1
          ? '1 Mail hat gewartet; ich beantworte sie jetzt.'
          : `${waited} Mails haben gewartet; ich beantworte sie jetzt.`,
    stillStopped: 'Weiter angehalten',
    notAlone: (line) =>
      `In Ihrer Mail steht RESUME und daneben: „${line}“. Ich habe nicht weitergemacht, weil das den Sinn ändern könnte. Bitte senden Sie RESUME allein.`,
  },
  fr: {
    stopped: 'À l’arrêt',
    stop: ({ ended, held, waiting }) =>
      `Je me suis arrêté. Travaux interrompus : ${ended}. Messages retenus : ${held}. Messages en attente de réponse : ${waiting}. Les nouveaux messages attendent aussi. Répondez RESUME pour reprendre.`,
    cutOff: (tools) => `Interrompu en plein appel : ${tools}. Impossible de savoir s’il a eu un effet.`,
    resumed: 'Je reprends',
    resume: (waited) =>
      waited === 0
        ? 'Je reprends. Aucun message n’attendait.'
        : waited === 1
          ? '1 message attendait ; j’y réponds maintenant.'
          : `${waited} messages attendaient ; j’y réponds maintenant.`,
    stillStopped: 'Toujours à l’arrêt',
    notAlone: (line) =>
      `Votre message dit RESUME et, à côté : « ${line} ». Je n’ai pas repris, car cela pourrait en changer le sens. Envoyez RESUME seul.`,
  },
  es: {
    stopped: 'Detenido',
    stop: ({ ended, held, waiting }) =>
      `Me he detenido. Trabajos interrumpidos: ${ended}. Correos retenidos: ${held}. Correos a la espera de respuesta: ${waiting}. El correo nuevo también espera. Responda RESUME para continuar.`,
    cutOff: (tools) => `Interrumpido en mitad de una llamada: ${tools}. No se sabe si llegó a tener efecto.`,
    resumed: 'Continúo',
    resume: (waited) =>
      waited === 0
        ? 'Continúo. No había ningún correo en espera.'
        : waited === 1
          ? '1 correo estaba esperando; lo respondo ahora.'
          : `${waited} correos estaban esperando; los respondo ahora.`,
    stillStopped: 'Sigo detenido',
    notAlone: (line) =>
      `Su correo dice RESUME y, al lado: «${line}». No he continuado, porque eso podría cambiar el sentido. Envíe solo RESUME.`,
  },
  it: {
    stopped: 'Fermo',
    stop: ({ ended, held, waiting }) =>
      `Mi sono fermato. Lavori interrotti: ${ended}. Mail trattenute: ${held}. Mail in attesa di risposta: ${waiting}. Anche le nuove mail aspettano. Risponda RESUME per continuare.`,
    cutOff: (tools) => `Interrotto durante una chiamata: ${tools}. Non si sa se abbia avuto effetto.`,
    resumed: 'Riprendo',
    resume: (waited) =>
      waited === 0
        ? 'Riprendo. Nessuna mail era in attesa.'
        : waited === 1
          ? '1 mail era in attesa; rispondo adesso.'
          : `${waited} mail erano in attesa; rispondo adesso.`,
    stillStopped: 'Ancora fermo',
    notAlone: (line) =>
      `Nel suo messaggio c’è RESUME e accanto: «${line}». Non ho ripreso, perché ciò potrebbe cambiarne il senso. Invii soltanto RESUME.`,
  },
  nl: {
    stopped: 'Gestopt',
    stop: ({ ended, held, waiting }) =>
      `Ik ben gestopt. Afgebroken taken: ${ended}. Tegengehouden mails: ${held}. Mails die op antwoord wachten: ${waiting}. Nieuwe mail wacht ook. Antwoord RESUME om verder te gaan.`,
    cutOff: (tools) => `Midden in een aanroep afgebroken: ${tools}. Of die effect heeft gehad, is niet bekend.`,
    resumed: 'Ik ga verder',
    resume: (waited) =>
      waited === 0
        ? 'Ik ga verder. Er wachtte geen mail.'
        : waited === 1
          ? 'Er wachtte 1 mail; ik beantwoord die nu.'
          : `Er wachtten ${waited} mails; ik beantwoord ze nu.`,
    stillStopped: 'Nog gestopt',
    notAlone: (line) =>
      `In uw mail staat RESUME en daarnaast: "${line}". Ik ben niet verdergegaan, want dat kan de betekenis veranderen. Stuur alleen RESUME.`,
  },
  pt: {
    stopped: 'Parado',
    stop: ({ ended, held, waiting }) =>
      `Parei. Trabalhos interrompidos: ${ended}. E-mails retidos: ${held}. E-mails à espera de resposta: ${waiting}. Os novos e-mails também esperam. Responda RESUME para continuar.`,
    cutOff: (tools) => `Interrompido a meio de uma chamada: ${tools}. Não se sabe se chegou a ter efeito.`,
    resumed: 'A continuar',
    resume: (waited) =>
      waited === 0
        ? 'Vou continuar. Não havia e-mails à espera.'
        : waited === 1
          ? 'Havia 1 e-mail à espera; respondo agora.'
          : `Havia ${waited} e-mails à espera; respondo agora.`,
    stillStopped: 'Ainda parado',
    notAlone: (line) =>
      `O seu e-mail diz RESUME e, ao lado: "${line}". Não continuei, porque isso pode mudar o sentido. Envie apenas RESUME.`,
  },
  pl: {
    stopped: 'Zatrzymano',
    stop: ({ ended, held, waiting }) =>
      `Praca zatrzymana. Przerwane zadania: ${ended}. Wstrzymane wiadomości: ${held}. Wiadomości czekające na odpowiedź: ${waiting}. Nowe wiadomości też czekają. Odpowiedz RESUME, aby wznowić.`,
    cutOff: (tools) => `Przerwano w trakcie wywołania: ${tools}. Nie wiadomo, czy odniosło skutek.`,
    resumed: 'Wznowiono',
    resume: (waited) =>
      waited === 0
        ? 'Wracam do pracy. Żadna wiadomość nie czekała.'
        : `Czekające wiadomości: ${waited}. Odpowiadam teraz.`,
    stillStopped: 'Nadal zatrzymano',
    notAlone: (line) =>
      `W wiadomości jest RESUME, a obok: „${line}”. Praca nie została wznowiona, bo to może zmienić sens. Proszę wysłać samo RESUME.`,
  },
  ja: {
    stopped: '停止しました',
    stop: ({ ended, held, waiting }) =>
      `停止しました。中止した作業: ${ended}件。送信を保留したメール: ${held}件。返信待ちのメール: ${waiting}件。新しいメールも待たせておきます。再開するには RESUME と返信してください。`,
    cutOff: (tools) => `呼び出しの途中で中断しました: ${tools}。効果があったかどうかは分かりません。`,
    resumed: '再開しました',
    resume: (waited) =>
      waited === 0
        ? '再開します。待っていたメールはありません。'
        : `${waited}件のメールが待っていました。これから返信します。`,
    stillStopped: '停止したままです',
    notAlone: (line) =>
      `メールに RESUME のほか、次の行がありました：「${line}」。意味が変わるかもしれないため、再開していません。RESUME だけをお送りください。`,
  },
  zh: {
    stopped: '已停止',
    stop: ({ ended, held, waiting }) =>
      `我已停止。中止的任务：${ended} 个。暂缓发送的邮件：${held} 封。等待回复的邮件：${waiting} 封。新邮件也会等待。回复 RESUME 即可继续。`,
    cutOff: (tools) => `在调用中途被中断：${tools}。无法确定是否已经生效。`,
    resumed: '已恢复',
    resume: (waited) => (waited === 0 ? '我继续工作了。没有邮件在等待。' : `有 ${waited} 封邮件在等待，我现在回复。`),
    stillStopped: '仍处于停止状态',
    notAlone: (line) => `您的邮件里除了 RESUME，还有：“${line}”。这可能改变意思，所以我没有继续。请只发送 RESUME。`,
  },
};
