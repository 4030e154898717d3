import type { Wording } from '../language.ts';

/** What mail waits for; the codes of `runs.deferred_code`. */
type Reason =
  | 'persona_paused'
  | 'persona_stopped'
  | 'budget'
  | 'provider_unavailable'
  | 'provider_setup'
  | 'request_failed';

interface Words {
  /** To a sender whose answer will be late. */
  readonly late: string;
  /** The same where the model service works, and does not answer this mail, or this persona. */
  readonly notYet: string;
  /** To a sender whose mail waits for the next day's budget. */
  readonly budget: string;
  /** To a sender whose mail waited in vain. */
  gaveUp(reason: string, hours: number): string;
  /** The reason, as a sentence of its own or a part of one. */
  readonly reason: Readonly<Record<Reason, string>>;
}

const one = (count: number, single: string, several: string): string => `${count} ${count === 1 ? single : several}`;

/** What senders are told whose mail waits. */
export const WAITING: Wording<Words> = {
  en: {
    late: 'I have your mail and will answer late: the model service is down. You need not write again.',
    notYet:
      'I have your mail, but cannot answer it yet: the model service does not take it. I try again by myself. You need not write again.',
    budget:
      'I could not start on your mail: my budget for today is used up. I will answer it tomorrow, unless the budget is raised before. You need not write again.',
    gaveUp: (reason, hours) =>
      `I could not answer your mail: ${reason}, and I have waited for ${one(hours, 'hour', 'hours')}. I will not try again by myself. If it still matters, please write again.`,
    reason: {
      persona_paused: 'I was paused',
      persona_stopped: 'I was stopped',
      budget: 'my budget was used up',
      provider_unavailable: 'the model service did not work',
      provider_setup: 'the model service needs something from my owner',
      request_failed: 'the model service did not take your mail',
    },
  },
  de: {
    late: 'Ihre Mail ist angekommen, meine Antwort kommt aber später: Der Modelldienst ist gerade ausgefallen. Sie müssen nicht noch einmal schreiben.',
    notYet:
      'Ihre Mail ist angekommen, aber ich kann sie noch nicht beantworten: Der Modelldienst nimmt sie nicht an. Ich versuche es von selbst weiter. Sie müssen nicht noch einmal schreiben.',
    budget:
      'Ich konnte mit Ihrer Mail noch nicht anfangen: Mein Budget für heute ist aufgebraucht. Ich antworte morgen, außer das Budget wird vorher erhöht. Sie müssen nicht noch einmal schreiben.',
    gaveUp: (reason, hours) =>
      `Ich konnte Ihre Mail nicht beantworten: ${reason}, und ich habe ${one(hours, 'Stunde', 'Stunden')} gewartet. Von selbst versuche ich es nicht noch einmal. Wenn es noch wichtig ist, schreiben Sie bitte erneut.`,
    reason: {
      persona_paused: 'Ich war pausiert',
      persona_stopped: 'Ich war angehalten',
      budget: 'Mein Budget war aufgebraucht',
      provider_unavailable: 'Der Modelldienst war nicht erreichbar',
      provider_setup: 'Der Modelldienst muss erst wieder eingerichtet werden',
      request_failed: 'Der Modelldienst hat Ihre Mail nicht angenommen',
    },
  },
  fr: {
    late: 'J’ai bien reçu votre message, mais je répondrai avec du retard : le service du modèle est en panne. Inutile de m’écrire à nouveau.',
    notYet:
      'J’ai bien reçu votre message, mais je ne peux pas encore y répondre : le service du modèle ne l’accepte pas. Je réessaie de moi-même. Inutile de m’écrire à nouveau.',
    budget:
      'Je n’ai pas pu commencer à traiter votre message : mon budget du jour est épuisé. Je répondrai demain, sauf si le budget est augmenté d’ici là. Inutile de m’écrire à nouveau.',
    gaveUp: (reason, hours) =>
      `Je n’ai pas pu répondre à votre message : ${reason}, et j’ai attendu ${one(hours, 'heure', 'heures')}. Je ne réessaierai pas de moi-même. Si c’est toujours d’actualité, merci de m’écrire à nouveau.`,
    reason: {
      persona_paused: 'j’étais en pause',
      persona_stopped: 'j’étais à l’arrêt',
      budget: 'mon budget était épuisé',
      provider_unavailable: 'le service du modèle ne fonctionnait pas',
      provider_setup: 'le service du modèle attend une intervention de mon responsable',
      request_failed: 'le service du modèle n’a pas accepté votre message',
    },
  },
  es: {
    late: 'He recibido su correo, pero responderé más tarde: el servicio del modelo no funciona en este momento. No hace falta que vuelva a escribir.',
    notYet:
      'He recibido su mensaje, pero todavía no puedo responderlo: el servicio del modelo no lo acepta. Lo intento de nuevo por mi cuenta. No hace falta que vuelva a escribir.',
    budget:
      'No he podido empezar con su correo: mi presupuesto de hoy está agotado. Responderé mañana, salvo que se amplíe antes. No hace falta que vuelva a escribir.',
    gaveUp: (reason, hours) =>
      `No he podido responder a su correo: ${reason}, y he esperado ${one(hours, 'hora', 'horas')}. No volveré a intentarlo por mi cuenta. Si sigue siendo importante, escríbame de nuevo.`,
    reason: {
      persona_paused: 'estaba en pausa',
      persona_stopped: 'estaba detenido',
      budget: 'mi presupuesto estaba agotado',
      provider_unavailable: 'el servicio del modelo no funcionaba',
      provider_setup: 'el servicio del modelo necesita algo de mi responsable',
      request_failed: 'el servicio del modelo no aceptó su mensaje',
    },
  },
  it: {
    late: 'Ho ricevuto la sua mail, ma risponderò in ritardo: il servizio del modello non funziona. Non occorre scrivere di nuovo.',
    notYet:
      'Ho ricevuto il suo messaggio, ma non posso ancora rispondere: il servizio del modello non lo accetta. Riprovo da solo. Non occorre scrivere di nuovo.',
    budget:
      'Non ho potuto iniziare a lavorare alla sua mail: il mio budget di oggi è esaurito. Risponderò domani, a meno che il budget non venga aumentato prima. Non occorre scrivere di nuovo.',
    gaveUp: (reason, hours) =>
      `Non ho potuto rispondere alla sua mail: ${reason}, e ho aspettato ${one(hours, 'ora', 'ore')}. Non riproverò da solo. Se è ancora importante, mi scriva di nuovo.`,
    reason: {
      persona_paused: 'ero in pausa',
      persona_stopped: 'ero fermo',
      budget: 'il mio budget era esaurito',
      provider_unavailable: 'il servizio del modello non funzionava',
      provider_setup: 'il servizio del modello richiede un intervento del mio responsabile',
      request_failed: 'il servizio del modello non ha accettato il suo messaggio',
    },
  },
  nl: {
    late: 'Ik heb uw mail ontvangen, maar mijn antwoord komt later: de modeldienst ligt eruit. U hoeft niet opnieuw te schrijven.',
    notYet:
      'Ik heb uw bericht ontvangen, maar kan het nog niet beantwoorden: de modeldienst neemt het niet aan. Ik probeer het zelf opnieuw. U hoeft niet nog eens te schrijven.',
    budget:
      'Ik kon nog niet aan uw mail beginnen: mijn budget voor vandaag is op. Ik antwoord morgen, tenzij het budget eerder wordt verhoogd. U hoeft niet opnieuw te schrijven.',
    gaveUp: (reason, hours) =>
      `Ik kon uw mail niet beantwoorden: ${reason}, en ik heb ${one(hours, 'uur', 'uur')} gewacht. Ik probeer het niet vanzelf opnieuw. Als het nog van belang is, schrijf me dan nog eens.`,
    reason: {
      persona_paused: 'ik was gepauzeerd',
      persona_stopped: 'ik was stopgezet',
      budget: 'mijn budget was op',
      provider_unavailable: 'de modeldienst werkte niet',
      provider_setup: 'de modeldienst heeft iets van mijn beheerder nodig',
      request_failed: 'de modeldienst heeft uw bericht niet aangenomen',
    },
  },
  pt: {
    late: 'Recebi o seu e-mail, mas vou responder com atraso: o serviço do modelo está fora do ar. Não precisa escrever de novo.',
    notYet:
      'Recebi a sua mensagem, mas ainda não posso responder: o serviço do modelo não a aceita. Tento de novo por mim. Não precisa de escrever outra vez.',
    budget:
      'Ainda não pude começar a tratar do seu e-mail: o meu orçamento de hoje acabou. Respondo amanhã, a não ser que o orçamento seja aumentado antes. Não precisa escrever de novo.',
    gaveUp: (reason, hours) =>
      `Não consegui responder ao seu e-mail: ${reason}, e esperei ${one(hours, 'hora', 'horas')}. Não vou tentar de novo por conta própria. Se ainda for importante, escreva novamente.`,
    reason: {
      persona_paused: 'eu estava em pausa',
      persona_stopped: 'eu estava parado',
      budget: 'o meu orçamento tinha acabado',
      provider_unavailable: 'o serviço do modelo não funcionava',
      provider_setup: 'o serviço do modelo precisa de algo do meu responsável',
      request_failed: 'o serviço do modelo não aceitou a sua mensagem',
    },
  },
  pl: {
    late: 'Twoja wiadomość dotarła, ale odpowiem z opóźnieniem: usługa modelu nie działa. Nie trzeba pisać ponownie.',
    notYet:
      'Wiadomość dotarła, ale nie mogę jeszcze na nią odpowiedzieć: usługa modelu jej nie przyjmuje. Sam spróbuję ponownie. Nie trzeba pisać jeszcze raz.',
    budget:
      'Nie mogę jeszcze zająć się Twoją wiadomością: mój dzisiejszy budżet jest wyczerpany. Odpowiem jutro, chyba że budżet zostanie wcześniej zwiększony. Nie trzeba pisać ponownie.',
    gaveUp: (reason, hours) =>
      `Nie udało mi się odpowiedzieć na Twoją wiadomość: ${reason} (czas oczekiwania: ${hours} godz.). Samodzielnie nie spróbuję ponownie. Jeśli sprawa jest nadal aktualna, napisz proszę jeszcze raz.`,
    reason: {
      persona_paused: 'moja praca była wstrzymana',
      persona_stopped: 'moja praca była zatrzymana',
      budget: 'mój budżet był wyczerpany',
      provider_unavailable: 'usługa modelu nie działała',
      provider_setup: 'usługa modelu wymaga działania mojego właściciela',
      request_failed: 'usługa modelu nie przyjęła wiadomości',
    },
  },
  ja: {
    late: 'メールを受け取りましたが、モデルのサービスが停止しているため、お返事が遅れます。もう一度お送りいただく必要はありません。',
    notYet:
      'メールは届いていますが、まだお返事できません。モデルのサービスがこのメールを受け付けていません。自動的に再試行しますので、再度お送りいただく必要はありません。',
    budget:
      '本日の予算を使い切ったため、まだメールに取りかかれていません。予算が増額されない限り、明日お返事します。もう一度お送りいただく必要はありません。',
    gaveUp: (reason, hours) =>
      `${hours}時間待ちましたが、${reason}ため、メールにお返事できませんでした。自動で再試行することはありません。まだ必要でしたら、もう一度お送りください。`,
    reason: {
      persona_paused: '一時停止中だった',
      persona_stopped: '停止中だった',
      budget: '予算を使い切っていた',
      provider_unavailable: 'モデルのサービスが動作していなかった',
      provider_setup: 'モデルのサービスについて管理者の対応が必要だった',
      request_failed: 'モデルのサービスがメールを受け付けなかった',
    },
  },
  zh: {
    late: '您的邮件已收到，但模型服务目前中断，回复会晚一些。您不必再次来信。',
    notYet: '您的邮件已收到，但目前还无法答复：模型服务没有接受这封邮件。我会自动重试，您无需再次来信。',
    budget: '我今天的预算已用完，还没能开始处理您的邮件。除非预算提前增加，否则我明天回复。您不必再次来信。',
    gaveUp: (reason, hours) =>
      `我没能回复您的邮件：${reason}，我已等待了 ${hours} 小时。我不会再自动重试。如果仍有需要，请再次来信。`,
    reason: {
      persona_paused: '我被暂停了',
      persona_stopped: '我被停止了',
      budget: '我的预算已用完',
      provider_unavailable: '模型服务无法使用',
      provider_setup: '模型服务需要所有者处理',
      request_failed: '模型服务没有接受您的邮件',
    },
  },
};
