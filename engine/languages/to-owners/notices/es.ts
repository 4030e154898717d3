import type { NoticeWords } from './words.ts';

export const es: NoticeWords = {
  causes: {
    auth: 'el servicio del modelo rechazó nuestra clave',
    rate_limited: 'el servicio del modelo tenía demasiadas peticiones',
    overloaded: 'el servicio del modelo estaba sobrecargado',
    timeout: 'el servicio del modelo no respondió a tiempo',
    unavailable: 'no se pudo llegar al servicio del modelo',
    context_overflow: 'el correo y su historial son demasiado largos para el modelo',
    bad_request: 'el modelo rechazó la petición',
    unparsable: 'el modelo envió algo ilegible',
    repeated_crash: 'el mismo paso detuvo el programa varias veces',
    other: 'no se pudo terminar',
  },
  mailCauses: {
    no_mailbox: 'ese buzón no existe',
    no_domain: 'ese servidor de correo no existe',
    full: 'el buzón está lleno',
    refused: 'el otro servidor lo rechazó',
    too_large: 'es demasiado grande para el otro servidor',
    unreachable: 'no se pudo llegar al otro servidor durante dos días',
  },
  more: (count, since) => `Desde las ${since} ha ocurrido ${count} veces más. Lo más reciente:`,
  moreInSubject: (count) => ` y ${count} más`,
  failedSubject: (subject) => `Sin respuesta a «${subject}»`,
  failed: (who, subject, cause) => `No pude responder al correo «${subject}» de ${who}: ${cause}.`,
  partialSubject: (subject) => `Solo parte de una respuesta a «${subject}»`,
  partial: (who, subject, cause) => `Solo pude responder en parte al correo «${subject}» de ${who}: ${cause}.`,
  unknownSubject: (subject) => `¿Se hizo? «${subject}»`,
  unknown: (tools) =>
    `Mi trabajo se interrumpió mientras usaba ${tools}. Puede que se haya hecho o puede que no; no lo he repetido ni lo repetiré. Por favor, compruébelo.`,
  details: (runId) =>
    `Qué pasó: \`epistle runs show ${runId}\`. Para intentarlo otra vez: \`epistle runs retry ${runId}\`.`,
  undeliveredSubject: (subject) => `No entregado: «${subject}»`,
  undelivered: (subject, to, cause) => `Mi correo «${subject}» a ${to} no llegó: ${cause}.`,
  uncertain: (subject, to) =>
    `Nadie puede decir si mi correo «${subject}» a ${to} llegó: la conexión se interrumpió. No lo he enviado de nuevo.`,
  sentFor: (who) => `Se envió para ${who}, a quien he avisado.`,
  sentForYou: (subject, to, cause) => `El correo «${subject}» que envié por usted a ${to} no llegó: ${cause}.`,
  again: (outboxId) =>
    `Cuando pueda llegar, \`epistle outbox retry ${outboxId}\` lo envía de nuevo a la misma dirección.`,
  undoneSubject: (what) => `Deshecho: ${what}`,
  notUndoneSubject: (what) => `No deshecho: ${what}`,
  undone: (what) => `He deshecho esto: ${what}.`,
  notUndone: (what) => `No pude deshacer esto: ${what}. Se puede volver a intentar hasta que acabe el plazo.`,
  taskFailedSubject: (name) => `Falló: ${name}`,
  taskFailed: (name, when, cause) => `«${name}» falló (${when}): ${cause}.`,
  taskNotMailed: (name, when) => `«${name}» hizo su trabajo (${when}), pero su correo no pudo entregarse.`,
  nextTry: (when) => `Próximo intento: ${when}.`,
  hearAgain: (failures) => `Volveré a escribir cuando funcione, o tras ${failures} fallos seguidos.`,
  taskPausedSubject: (name) => `En pausa: ${name}`,
  taskPaused: (name, failures, cause) =>
    `«${name}» falló ${failures} veces seguidas (${cause}) y está en pausa. Sigue con \`epistle tasks resume\`.`,
  taskWellSubject: (name) => `Funciona de nuevo: ${name}`,
  taskWell: (name) => `«${name}» funciona de nuevo.`,
};
