import type { NoticeWords } from './words.ts';

export const pt: NoticeWords = {
  causes: {
    auth: 'o serviço do modelo recusou a nossa chave',
    rate_limited: 'o serviço do modelo tinha pedidos a mais',
    overloaded: 'o serviço do modelo estava sobrecarregado',
    timeout: 'o serviço do modelo não respondeu a tempo',
    unavailable: 'não foi possível chegar ao serviço do modelo',
    context_overflow: 'a mensagem e o seu histórico são longos demais para o modelo',
    bad_request: 'o modelo recusou o pedido',
    unparsable: 'o modelo enviou algo ilegível',
    repeated_crash: 'o mesmo passo parou o programa várias vezes',
    other: 'não foi possível concluir',
  },
  mailCauses: {
    no_mailbox: 'essa caixa de correio não existe',
    no_domain: 'esse servidor de correio não existe',
    full: 'a caixa de correio está cheia',
    refused: 'o outro servidor recusou-a',
    too_large: 'é grande demais para o outro servidor',
    unreachable: 'não foi possível chegar ao outro servidor durante dois dias',
  },
  more: (count, since) => `Desde as ${since} aconteceu mais ${count} vezes. O mais recente:`,
  moreInSubject: (count) => ` e mais ${count}`,
  failedSubject: (subject) => `Sem resposta a "${subject}"`,
  failed: (who, subject, cause) => `Não pude responder à mensagem "${subject}" de ${who}: ${cause}.`,
  partialSubject: (subject) => `Só parte de uma resposta a "${subject}"`,
  partial: (who, subject, cause) => `Só pude responder em parte à mensagem "${subject}" de ${who}: ${cause}.`,
  unknownSubject: (subject) => `Foi feito? "${subject}"`,
  unknown: (tools) =>
    `O meu trabalho interrompeu-se enquanto usava ${tools}. Pode ter sido feito ou não; não o repeti nem repetirei. Verifique, por favor.`,
  details: (runId) =>
    `O que aconteceu: \`epistle runs show ${runId}\`. Para tentar de novo: \`epistle runs retry ${runId}\`.`,
  undeliveredSubject: (subject) => `Não entregue: "${subject}"`,
  undelivered: (subject, to, cause) => `A minha mensagem "${subject}" para ${to} não chegou: ${cause}.`,
  uncertain: (subject, to) =>
    `Ninguém sabe se a minha mensagem "${subject}" para ${to} chegou: a ligação caiu. Não a enviei de novo.`,
  sentFor: (who) => `Foi enviada por ${who}, a quem avisei.`,
  sentForYou: (subject, to, cause) => `A mensagem "${subject}" que enviei por si para ${to} não chegou: ${cause}.`,
  again: (outboxId) =>
    `Quando puder chegar, \`epistle outbox retry ${outboxId}\` envia-a de novo para o mesmo endereço.`,
  undoneSubject: (what) => `Desfeito: ${what}`,
  notUndoneSubject: (what) => `Não desfeito: ${what}`,
  undone: (what) => `Desfiz isto: ${what}.`,
  notUndone: (what) => `Não pude desfazer isto: ${what}. Pode tentar de novo até ao fim do prazo.`,
  taskFailedSubject: (name) => `Falhou: ${name}`,
  taskFailed: (name, when, cause) => `"${name}" falhou (${when}): ${cause}.`,
  taskNotMailed: (name, when) => `"${name}" fez o seu trabalho (${when}), mas a mensagem não pôde ser entregue.`,
  nextTry: (when) => `Próxima tentativa: ${when}.`,
  hearAgain: (failures) => `Volto a escrever quando funcionar, ou após ${failures} falhas seguidas.`,
  taskPausedSubject: (name) => `Em pausa: ${name}`,
  taskPaused: (name, failures, cause) =>
    `"${name}" falhou ${failures} vezes seguidas (${cause}) e está em pausa. Continua com \`epistle tasks resume\`.`,
  taskWellSubject: (name) => `Funciona de novo: ${name}`,
  taskWell: (name) => `"${name}" funciona de novo.`,
};
