import type { Wording } from '../language.ts';

/** What owners are told once a day of those whose mail was refused. */
export interface RefusedSendersWords {
  subject(count: number): string;
  readonly unlisted: string;
  /** How they are let in, and for how many days what they wrote is kept. */
  allow(command: string, days: number): string;
  readonly unproven: string;
  prove(list: string, doctor: string): string;
  more(count: number, command: string): string;
  readonly once: string;
}

export const REFUSED_SENDERS: Wording<RefusedSendersWords> = {
  en: {
    subject: (count) => `Mail of ${count} new ${count === 1 ? 'sender' : 'senders'} was refused`,
    unlisted: 'They wrote for the first time, and nobody has let them in yet. It is certain who they are:',
    allow: (command, days) =>
      `${command} lets one of them in, and what they wrote is answered then (it is kept for ${days} ${days === 1 ? 'day' : 'days'}). To let nobody in, do nothing.`,
    unproven: 'These addresses may write, but nothing proves that the mail is really theirs. It may be forged:',
    prove: (list, doctor) => `Why, and what would prove it: ${list} and ${doctor}.`,
    more: (count, command) => `… and ${count} more: ${command}`,
    once: 'You hear of this once a day at most, and of each sender once.',
  },
  de: {
    subject: (count) =>
      count === 1
        ? 'Mail von 1 neuen Absender wurde abgewiesen'
        : `Mails von ${count} neuen Absendern wurden abgewiesen`,
    unlisted: 'Sie haben zum ersten Mal geschrieben, und niemand hat sie bisher zugelassen. Wer sie sind, steht fest:',
    allow: (command, days) =>
      `${command} lässt einen von ihnen zu, und was er schrieb, wird dann beantwortet (es wird ${days} ${days === 1 ? 'Tag' : 'Tage'} lang aufbewahrt). Wollen Sie niemanden zulassen, müssen Sie nichts tun.`,
    unproven:
      'Diese Adressen dürfen schreiben, doch nichts beweist, dass die Mail wirklich von dort kommt. Sie kann gefälscht sein:',
    prove: (list, doctor) => `Warum, und was es beweisen würde: ${list} und ${doctor}.`,
    more: (count, command) => `… und ${count} weitere: ${command}`,
    once: 'Davon hören Sie höchstens einmal am Tag, und von jedem Absender nur einmal.',
  },
  fr: {
    subject: (count) =>
      count === 1
        ? 'Le message d’un nouvel expéditeur a été refusé'
        : `Les messages de ${count} nouveaux expéditeurs ont été refusés`,
    unlisted: 'Ils ont écrit pour la première fois et personne ne les a encore admis. Leur identité est certaine :',
    allow: (command, days) =>
      `${command} en admet un, et ce qu’il a écrit reçoit alors une réponse (c’est gardé ${days} ${days === 1 ? 'jour' : 'jours'}). Pour n’admettre personne, il n’y a rien à faire.`,
    unproven:
      'Ces adresses peuvent écrire, mais rien ne prouve que le message vient vraiment d’elles. Il peut être falsifié :',
    prove: (list, doctor) => `Pourquoi, et ce qui le prouverait : ${list} et ${doctor}.`,
    more: (count, command) => `… et ${count} de plus : ${command}`,
    once: 'Vous en êtes informé une fois par jour au plus, et une seule fois pour chaque expéditeur.',
  },
  es: {
    subject: (count) =>
      count === 1 ? 'Se rechazó el correo de 1 remitente nuevo' : `Se rechazó el correo de ${count} remitentes nuevos`,
    unlisted: 'Escribieron por primera vez y nadie los ha admitido aún. Es seguro quiénes son:',
    allow: (command, days) =>
      `${command} admite a uno de ellos, y entonces se responde a lo que escribió (se guarda ${days} ${days === 1 ? 'día' : 'días'}). Para no admitir a nadie, no hay que hacer nada.`,
    unproven:
      'Estas direcciones pueden escribir, pero nada prueba que el correo sea realmente suyo. Puede ser falsificado:',
    prove: (list, doctor) => `Por qué, y qué lo probaría: ${list} y ${doctor}.`,
    more: (count, command) => `… y ${count} más: ${command}`,
    once: 'Se le avisa como mucho una vez al día, y de cada remitente una sola vez.',
  },
  it: {
    subject: (count) =>
      count === 1
        ? 'La mail di 1 nuovo mittente è stata rifiutata'
        : `Le mail di ${count} nuovi mittenti sono state rifiutate`,
    unlisted: 'Hanno scritto per la prima volta e nessuno li ha ancora ammessi. È certo chi sono:',
    allow: (command, days) =>
      `${command} ne ammette uno, e ciò che ha scritto riceve allora risposta (è conservato per ${days} ${days === 1 ? 'giorno' : 'giorni'}). Per non ammettere nessuno non serve fare nulla.`,
    unproven: 'Questi indirizzi possono scrivere, ma nulla prova che la mail sia davvero loro. Può essere falsificata:',
    prove: (list, doctor) => `Perché, e che cosa lo proverebbe: ${list} e ${doctor}.`,
    more: (count, command) => `… e altri ${count}: ${command}`,
    once: 'Se ne parla al massimo una volta al giorno, e di ogni mittente una volta sola.',
  },
  nl: {
    subject: (count) =>
      count === 1 ? 'Mail van 1 nieuwe afzender is geweigerd' : `Mail van ${count} nieuwe afzenders is geweigerd`,
    unlisted: 'Zij schreven voor het eerst en niemand heeft hen nog toegelaten. Het staat vast wie zij zijn:',
    allow: (command, days) =>
      `${command} laat een van hen toe, en wat die schreef wordt dan beantwoord (het wordt ${days} ${days === 1 ? 'dag' : 'dagen'} bewaard). Wilt u niemand toelaten, dan hoeft u niets te doen.`,
    unproven: 'Deze adressen mogen schrijven, maar niets bewijst dat de mail echt van hen is. Die kan vervalst zijn:',
    prove: (list, doctor) => `Waarom, en wat het zou bewijzen: ${list} en ${doctor}.`,
    more: (count, command) => `… en nog ${count}: ${command}`,
    once: 'U hoort hiervan hoogstens eenmaal per dag, en van elke afzender eenmaal.',
  },
  pl: {
    subject: (count) => `Odrzucono wiadomości od nowych nadawców: ${count}`,
    unlisted: 'Napisali po raz pierwszy i nikt ich jeszcze nie dopuścił. Wiadomo na pewno, kim są:',
    allow: (command, days) =>
      `${command} dopuszcza jednego z nich, a na to, co napisał, przyjdzie wtedy odpowiedź (okres przechowywania w dniach: ${days}). Aby nikogo nie dopuścić, nie trzeba nic robić.`,
    unproven:
      'Te adresy mogą pisać, ale nic nie dowodzi, że wiadomość naprawdę od nich pochodzi. Może być sfałszowana:',
    prove: (list, doctor) => `Dlaczego i co by tego dowiodło: ${list} oraz ${doctor}.`,
    more: (count, command) => `… i jeszcze ${count}: ${command}`,
    once: 'Taka wiadomość przychodzi najwyżej raz dziennie, a o każdym nadawcy tylko raz.',
  },
  pt: {
    subject: (count) =>
      count === 1
        ? 'A mensagem de 1 novo remetente foi recusada'
        : `As mensagens de ${count} novos remetentes foram recusadas`,
    unlisted: 'Escreveram pela primeira vez e ninguém os admitiu ainda. É certo quem são:',
    allow: (command, days) =>
      `${command} admite um deles, e o que escreveu recebe então resposta (é guardado durante ${days} ${days === 1 ? 'dia' : 'dias'}). Para não admitir ninguém, não é preciso fazer nada.`,
    unproven: 'Estes endereços podem escrever, mas nada prova que a mensagem seja mesmo deles. Pode ser falsificada:',
    prove: (list, doctor) => `Porquê, e o que o provaria: ${list} e ${doctor}.`,
    more: (count, command) => `… e mais ${count}: ${command}`,
    once: 'É avisado no máximo uma vez por dia, e de cada remetente uma só vez.',
  },
  ja: {
    subject: (count) => `新しい差出人${count}件のメールを受け付けませんでした`,
    unlisted: '初めて書いてきた人たちで、まだ誰も許可していません。本人であることは確かです:',
    allow: (command, days) =>
      `${command} で許可すると、届いていたメールに返信します（${days}日間保存）。誰も許可しない場合は、何もする必要はありません。`,
    unproven: '次のアドレスは許可されていますが、本人のメールだという証拠がありません。偽物かもしれません:',
    prove: (list, doctor) => `理由と、証明の方法: ${list} と ${doctor}`,
    more: (count, command) => `… ほか${count}件: ${command}`,
    once: 'この通知は多くても1日1回で、同じ差出人については一度だけです。',
  },
  zh: {
    subject: (count) => `已拒收 ${count} 位新发件人的邮件`,
    unlisted: '他们是第一次来信，尚未有人允许。发件人身份已得到证实：',
    allow: (command, days) =>
      `用 ${command} 允许其中一位，其来信随即会得到答复（保留 ${days} 天）。如不允许任何人，则无需操作。`,
    unproven: '以下地址有权来信，但没有证据表明邮件确实出自本人，可能是伪造的：',
    prove: (list, doctor) => `原因以及如何证实：${list} 和 ${doctor}。`,
    more: (count, command) => `… 另有 ${count} 位：${command}`,
    once: '此类通知每天最多一封，每位发件人只提一次。',
  },
};
