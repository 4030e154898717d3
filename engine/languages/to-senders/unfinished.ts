// Longer than 300 lines: a table of ten languages, which a translator reads in one piece.

import type { Wording } from '../language.ts';

/** Why an answer is not whole. */
export type PartlyBecause =
  | 'max_tool_turns'
  | 'max_tool_calls'
  | 'budget'
  | 'timeout'
  | 'duplicate_calls'
  | 'consecutive_failures'
  | 'repeated_crash'
  | 'provider'
  | 'unparsable'
  | 'contract'
  | 'cut_off';

/** Why there is none; `other` for whatever has no words of its own. */
export type NotBecause =
  | 'auth'
  | 'rate_limited'
  | 'overloaded'
  | 'timeout'
  | 'unavailable'
  | 'context_overflow'
  | 'bad_request'
  | 'tool_not_found'
  | 'unsupported_runtime_action'
  | 'outbound_transport_not_configured'
  | 'repeated_crash'
  | 'other';

export interface UnfinishedWords {
  notComplete(because: string): string;
  readonly partly: Readonly<Record<PartlyBecause, string>>;
  couldNot(because: string): string;
  readonly not: Readonly<Record<NotBecause, string>>;
  readonly stopped: string;
  readonly refused: string;
}

/** What the gateway says itself where a run did not come to an answer of its own, or not to the whole of it. */
export const UNFINISHED: Wording<UnfinishedWords> = {
  en: {
    notComplete: (because) => `This answer is not complete: ${because}.`,
    partly: {
      max_tool_turns: 'it took more steps than one mail may take',
      max_tool_calls: 'it took more tool calls than one mail may take',
      budget: 'the budget for this work is used up',
      timeout: 'it took longer than one mail may take',
      duplicate_calls: 'the same step was repeated without getting further',
      consecutive_failures: 'several steps failed in a row',
      repeated_crash: 'the same step made the program stop several times',
      provider: 'the model service stopped answering',
      unparsable: 'the model service sent answers that could not be read',
      contract: 'something that was asked for is still missing',
      cut_off: 'it broke off while it was written',
    },
    couldNot: (because) =>
      `I could not work on your mail: ${because}. The owner has been told; nothing more will happen by itself.`,
    not: {
      auth: 'the model service refused this gateway',
      rate_limited: 'the model service is too busy',
      overloaded: 'the model service is overloaded',
      timeout: 'the model service did not answer in time',
      unavailable: 'the model service could not be reached',
      context_overflow: 'the mail and its history are too long for the model',
      bad_request: 'the model service did not accept the request',
      tool_not_found: 'a tool that was needed is no longer installed',
      unsupported_runtime_action: 'a tool tried something that it has no permission for',
      outbound_transport_not_configured: 'no outgoing mail server is set up for it',
      repeated_crash: 'something inside the gateway failed at it again and again',
      other: 'something went wrong inside the gateway',
    },
    stopped:
      'The work on your mail was stopped by the owner before it was finished; nothing more will happen by itself.',
    refused: 'I cannot help with this request.',
  },
  de: {
    notComplete: (because) => `Diese Antwort ist nicht vollständig: ${because}.`,
    partly: {
      max_tool_turns: 'es waren mehr Schritte nötig, als eine Mail haben darf',
      max_tool_calls: 'es waren mehr Werkzeugaufrufe nötig, als eine Mail haben darf',
      budget: 'das Budget für diese Arbeit ist aufgebraucht',
      timeout: 'es dauerte länger, als eine Mail dauern darf',
      duplicate_calls: 'derselbe Schritt wurde wiederholt, ohne weiterzukommen',
      consecutive_failures: 'mehrere Schritte sind nacheinander fehlgeschlagen',
      repeated_crash: 'derselbe Schritt hat das Programm mehrmals zum Absturz gebracht',
      provider: 'der Modelldienst antwortet nicht mehr',
      unparsable: 'der Modelldienst hat Antworten geschickt, die nicht lesbar waren',
      contract: 'etwas, worum gebeten wurde, fehlt noch',
      cut_off: 'sie ist beim Schreiben abgebrochen',
    },
    couldNot: (because) =>
      `Ich konnte Ihre Mail nicht bearbeiten: ${because}. Der Inhaber weiß Bescheid; von selbst geschieht nichts weiter.`,
    not: {
      auth: 'der Modelldienst hat dieses Gateway abgewiesen',
      rate_limited: 'der Modelldienst ist zu stark ausgelastet',
      overloaded: 'der Modelldienst ist überlastet',
      timeout: 'der Modelldienst hat nicht rechtzeitig geantwortet',
      unavailable: 'der Modelldienst war nicht erreichbar',
      context_overflow: 'die Mail und ihr Verlauf sind zu lang für das Modell',
      bad_request: 'der Modelldienst hat die Anfrage nicht angenommen',
      tool_not_found: 'ein benötigtes Werkzeug ist nicht mehr installiert',
      unsupported_runtime_action: 'ein Werkzeug wollte etwas, wozu es nicht berechtigt ist',
      outbound_transport_not_configured: 'dafür ist kein Postausgangsserver eingerichtet',
      repeated_crash: 'im Gateway ist immer wieder etwas daran gescheitert',
      other: 'im Gateway ist etwas schiefgegangen',
    },
    stopped:
      'Die Arbeit an Ihrer Mail wurde vom Inhaber beendet, bevor sie fertig war; von selbst geschieht nichts weiter.',
    refused: 'Dabei kann ich nicht helfen.',
  },
  fr: {
    notComplete: (because) => `Cette réponse n’est pas complète : ${because}.`,
    partly: {
      max_tool_turns: 'il fallait plus d’étapes qu’un mail ne peut en prendre',
      max_tool_calls: 'il fallait plus d’appels d’outils qu’un mail ne peut en prendre',
      budget: 'le budget de ce travail est épuisé',
      timeout: 'c’était plus long que ce qu’un mail peut durer',
      duplicate_calls: 'la même étape s’est répétée sans avancer',
      consecutive_failures: 'plusieurs étapes ont échoué de suite',
      repeated_crash: 'la même étape a arrêté le programme plusieurs fois',
      provider: 'le service du modèle ne répond plus',
      unparsable: 'le service du modèle a envoyé des réponses illisibles',
      contract: 'il manque encore quelque chose de ce qui était demandé',
      cut_off: 'elle s’est interrompue pendant sa rédaction',
    },
    couldNot: (because) =>
      `Je n’ai pas pu traiter votre mail : ${because}. Le propriétaire en est informé ; rien d’autre ne se fera tout seul.`,
    not: {
      auth: 'le service du modèle a refusé cette passerelle',
      rate_limited: 'le service du modèle est trop sollicité',
      overloaded: 'le service du modèle est surchargé',
      timeout: 'le service du modèle n’a pas répondu à temps',
      unavailable: 'le service du modèle était injoignable',
      context_overflow: 'le mail et son historique sont trop longs pour le modèle',
      bad_request: 'le service du modèle n’a pas accepté la requête',
      tool_not_found: 'un outil nécessaire n’est plus installé',
      unsupported_runtime_action: 'un outil a tenté une action qui ne lui est pas permise',
      outbound_transport_not_configured: 'aucun serveur d’envoi n’est configuré pour cela',
      repeated_crash: 'la passerelle y a échoué à plusieurs reprises',
      other: 'une erreur s’est produite dans la passerelle',
    },
    stopped:
      'Le travail sur votre mail a été arrêté par le propriétaire avant la fin ; rien d’autre ne se fera tout seul.',
    refused: 'Je ne peux pas vous aider pour cette demande.',
  },
  es: {
    notComplete: (because) => `Esta respuesta no está completa: ${because}.`,
    partly: {
      max_tool_turns: 'hacían falta más pasos de los que admite un correo',
      max_tool_calls: 'hacían falta más llamadas a herramientas de las que admite un correo',
      budget: 'el presupuesto para este trabajo está agotado',
      timeout: 'tardaba más de lo que admite un correo',
      duplicate_calls: 'el mismo paso se repitió sin avanzar',
      consecutive_failures: 'varios pasos seguidos fallaron',
      repeated_crash: 'el mismo paso detuvo el programa varias veces',
      provider: 'el servicio del modelo dejó de responder',
      unparsable: 'el servicio del modelo envió respuestas ilegibles',
      contract: 'todavía falta algo de lo que se pidió',
      cut_off: 'se interrumpió mientras se escribía',
    },
    couldNot: (because) =>
      `No he podido ocuparme de su correo: ${because}. El propietario está avisado; no pasará nada más por sí solo.`,
    not: {
      auth: 'el servicio del modelo rechazó esta pasarela',
      rate_limited: 'el servicio del modelo está demasiado ocupado',
      overloaded: 'el servicio del modelo está sobrecargado',
      timeout: 'el servicio del modelo no respondió a tiempo',
      unavailable: 'no se pudo contactar con el servicio del modelo',
      context_overflow: 'el correo y su historial son demasiado largos para el modelo',
      bad_request: 'el servicio del modelo no aceptó la petición',
      tool_not_found: 'una herramienta necesaria ya no está instalada',
      unsupported_runtime_action: 'una herramienta intentó algo para lo que no tiene permiso',
      outbound_transport_not_configured: 'no hay ningún servidor de correo saliente configurado para ello',
      repeated_crash: 'la pasarela falló en ello una y otra vez',
      other: 'algo falló dentro de la pasarela',
    },
    stopped: 'El propietario detuvo el trabajo en su correo antes de que terminara; no pasará nada más por sí solo.',
    refused: 'No puedo ayudar con esta petición.',
  },
  it: {
    notComplete: (because) => `Questa risposta non è completa: ${because}.`,
    partly: {
      max_tool_turns: 'servivano più passi di quanti ne consenta una mail',
      max_tool_calls: 'servivano più chiamate di strumenti di quante ne consenta una mail',
      budget: 'il budget per questo lavoro è esaurito',
      timeout: 'ci voleva più tempo di quanto ne consenta una mail',
      duplicate_calls: 'lo stesso passo si è ripetuto senza andare avanti',
      consecutive_failures: 'diversi passi di seguito non sono riusciti',
      repeated_crash: 'lo stesso passo ha fermato il programma più volte',
      provider: 'il servizio del modello ha smesso di rispondere',
      unparsable: 'il servizio del modello ha inviato risposte illeggibili',
      contract: 'manca ancora qualcosa di ciò che era stato chiesto',
      cut_off: 'si è interrotta mentre veniva scritta',
    },
    couldNot: (because) =>
      `Non ho potuto occuparmi della Sua mail: ${because}. Il titolare è informato; da solo non succederà altro.`,
    not: {
      auth: 'il servizio del modello ha rifiutato questo gateway',
      rate_limited: 'il servizio del modello è troppo occupato',
      overloaded: 'il servizio del modello è sovraccarico',
      timeout: 'il servizio del modello non ha risposto in tempo',
      unavailable: 'il servizio del modello non era raggiungibile',
      context_overflow: 'la mail e la sua cronologia sono troppo lunghe per il modello',
      bad_request: 'il servizio del modello non ha accettato la richiesta',
      tool_not_found: 'uno strumento necessario non è più installato',
      unsupported_runtime_action: 'uno strumento ha tentato qualcosa che non gli è permesso',
      outbound_transport_not_configured: 'non è configurato alcun server di posta in uscita',
      repeated_crash: 'il gateway ha fallito più volte di seguito',
      other: 'qualcosa è andato storto nel gateway',
    },
    stopped: 'Il lavoro sulla Sua mail è stato fermato dal titolare prima della fine; da solo non succederà altro.',
    refused: 'Non posso aiutare con questa richiesta.',
  },
  nl: {
    notComplete: (because) => `Dit antwoord is niet volledig: ${because}.`,
    partly: {
      max_tool_turns: 'er waren meer stappen nodig dan één mail mag hebben',
      max_tool_calls: 'er was vaker een hulpmiddel nodig dan voor één mail mag',
      budget: 'het budget voor dit werk is op',
      timeout: 'het duurde langer dan één mail mag duren',
      duplicate_calls: 'dezelfde stap werd herhaald zonder verder te komen',
      consecutive_failures: 'meerdere stappen na elkaar zijn mislukt',
      repeated_crash: 'dezelfde stap liet het programma meermaals stoppen',
      provider: 'de modeldienst antwoordt niet meer',
      unparsable: 'de modeldienst stuurde antwoorden die niet te lezen waren',
      contract: 'iets waarom gevraagd werd, ontbreekt nog',
      cut_off: 'het brak af tijdens het schrijven',
    },
    couldNot: (because) =>
      `Ik kon uw mail niet behandelen: ${because}. De eigenaar weet ervan; vanzelf gebeurt er niets meer.`,
    not: {
      auth: 'de modeldienst heeft deze gateway geweigerd',
      rate_limited: 'de modeldienst heeft het te druk',
      overloaded: 'de modeldienst is overbelast',
      timeout: 'de modeldienst antwoordde niet op tijd',
      unavailable: 'de modeldienst was niet bereikbaar',
      context_overflow: 'de mail en de geschiedenis zijn te lang voor het model',
      bad_request: 'de modeldienst heeft het verzoek niet aangenomen',
      tool_not_found: 'een hulpmiddel dat nodig was, is niet meer geïnstalleerd',
      unsupported_runtime_action: 'een hulpmiddel probeerde iets waarvoor het geen toestemming heeft',
      outbound_transport_not_configured: 'er is geen server voor uitgaande mail ingesteld',
      repeated_crash: 'in de gateway ging het telkens opnieuw mis',
      other: 'er ging iets mis in de gateway',
    },
    stopped: 'Het werk aan uw mail is door de eigenaar gestopt voordat het klaar was; vanzelf gebeurt er niets meer.',
    refused: 'Hiermee kan ik niet helpen.',
  },
  pt: {
    notComplete: (because) => `Esta resposta não está completa: ${because}.`,
    partly: {
      max_tool_turns: 'eram precisos mais passos do que um e-mail pode ter',
      max_tool_calls: 'eram precisas mais chamadas de ferramentas do que um e-mail pode ter',
      budget: 'o orçamento para este trabalho esgotou-se',
      timeout: 'demorava mais do que um e-mail pode demorar',
      duplicate_calls: 'o mesmo passo repetiu-se sem avançar',
      consecutive_failures: 'vários passos seguidos falharam',
      repeated_crash: 'o mesmo passo parou o programa várias vezes',
      provider: 'o serviço do modelo deixou de responder',
      unparsable: 'o serviço do modelo enviou respostas ilegíveis',
      contract: 'ainda falta algo do que foi pedido',
      cut_off: 'interrompeu-se enquanto era escrita',
    },
    couldNot: (because) =>
      `Não consegui tratar do seu e-mail: ${because}. O proprietário foi avisado; nada mais acontecerá por si só.`,
    not: {
      auth: 'o serviço do modelo recusou este gateway',
      rate_limited: 'o serviço do modelo está demasiado ocupado',
      overloaded: 'o serviço do modelo está sobrecarregado',
      timeout: 'o serviço do modelo não respondeu a tempo',
      unavailable: 'não foi possível contactar o serviço do modelo',
      context_overflow: 'o e-mail e o seu histórico são demasiado longos para o modelo',
      bad_request: 'o serviço do modelo não aceitou o pedido',
      tool_not_found: 'uma ferramenta necessária já não está instalada',
      unsupported_runtime_action: 'uma ferramenta tentou algo para o qual não tem permissão',
      outbound_transport_not_configured: 'não há servidor de saída de e-mail configurado para isso',
      repeated_crash: 'o gateway falhou nisso repetidamente',
      other: 'algo correu mal dentro do gateway',
    },
    stopped:
      'O trabalho no seu e-mail foi parado pelo proprietário antes de estar pronto; nada mais acontecerá por si só.',
    refused: 'Não posso ajudar com este pedido.',
  },
  pl: {
    notComplete: (because) => `Ta odpowiedź nie jest kompletna: ${because}.`,
    partly: {
      max_tool_turns: 'potrzeba było więcej kroków, niż dopuszcza jedna wiadomość',
      max_tool_calls: 'potrzeba było więcej wywołań narzędzi, niż dopuszcza jedna wiadomość',
      budget: 'budżet na tę pracę jest wyczerpany',
      timeout: 'trwało to dłużej, niż dopuszcza jedna wiadomość',
      duplicate_calls: 'ten sam krok powtarzał się bez postępu',
      consecutive_failures: 'kilka kroków z rzędu się nie powiodło',
      repeated_crash: 'ten sam krok kilka razy zatrzymał program',
      provider: 'usługa modelu przestała odpowiadać',
      unparsable: 'usługa modelu przysłała nieczytelne odpowiedzi',
      contract: 'czegoś, o co proszono, jeszcze brakuje',
      cut_off: 'urwała się w trakcie pisania',
    },
    couldNot: (because) =>
      `Ta wiadomość nie została opracowana: ${because}. Właściciel o tym wie; samo nic więcej się nie wydarzy.`,
    not: {
      auth: 'usługa modelu odrzuciła tę bramkę',
      rate_limited: 'usługa modelu jest zbyt zajęta',
      overloaded: 'usługa modelu jest przeciążona',
      timeout: 'usługa modelu nie odpowiedziała na czas',
      unavailable: 'usługa modelu była nieosiągalna',
      context_overflow: 'wiadomość i jej historia są za długie dla modelu',
      bad_request: 'usługa modelu nie przyjęła zapytania',
      tool_not_found: 'potrzebne narzędzie nie jest już zainstalowane',
      unsupported_runtime_action: 'narzędzie próbowało czegoś, do czego nie ma uprawnień',
      outbound_transport_not_configured: 'nie ustawiono dla tego serwera poczty wychodzącej',
      repeated_crash: 'bramka wielokrotnie sobie z nią nie poradziła',
      other: 'coś poszło nie tak wewnątrz bramki',
    },
    stopped: 'Właściciel zatrzymał pracę nad tą wiadomością, zanim się zakończyła; samo nic więcej się nie wydarzy.',
    refused: 'Nie mogę pomóc w tej sprawie.',
  },
  ja: {
    notComplete: (because) => `この回答は完全ではありません。${because}。`,
    partly: {
      max_tool_turns: '1通のメールに許された手順の数を超えました',
      max_tool_calls: '1通のメールに許されたツール呼び出しの数を超えました',
      budget: 'この作業の予算を使い切りました',
      timeout: '1通のメールに許された時間を超えました',
      duplicate_calls: '同じ手順が繰り返され、先に進みませんでした',
      consecutive_failures: '続けていくつかの手順が失敗しました',
      repeated_crash: '同じ手順でプログラムが何度も停止しました',
      provider: 'モデルのサービスが応答しなくなりました',
      unparsable: 'モデルのサービスから読み取れない応答が届きました',
      contract: 'ご依頼のうち、まだ足りないものがあります',
      cut_off: '作成の途中で途切れました',
    },
    couldNot: (because) =>
      `メールに対応できませんでした。${because}。管理者には連絡済みです。このまま自動で処理が進むことはありません。`,
    not: {
      auth: 'モデルのサービスがこのゲートウェイを拒否しました',
      rate_limited: 'モデルのサービスが混み合っています',
      overloaded: 'モデルのサービスが過負荷です',
      timeout: 'モデルのサービスが時間内に応答しませんでした',
      unavailable: 'モデルのサービスに接続できませんでした',
      context_overflow: 'メールと履歴がモデルには長すぎます',
      bad_request: 'モデルのサービスがリクエストを受け付けませんでした',
      tool_not_found: '必要なツールがインストールされていません',
      unsupported_runtime_action: 'ツールが許可されていない操作をしようとしました',
      outbound_transport_not_configured: '送信用のメールサーバーが設定されていません',
      repeated_crash: 'ゲートウェイの内部で繰り返し失敗しました',
      other: 'ゲートウェイの内部で問題が起きました',
    },
    stopped: 'メールへの対応は、完了する前に管理者によって中止されました。このまま自動で処理が進むことはありません。',
    refused: 'このご依頼にはお応えできません。',
  },
  zh: {
    notComplete: (because) => `此回复不完整：${because}。`,
    partly: {
      max_tool_turns: '所需步骤超过了一封邮件允许的数量',
      max_tool_calls: '所需的工具调用超过了一封邮件允许的数量',
      budget: '这项工作的预算已用完',
      timeout: '所需时间超过了一封邮件允许的时长',
      duplicate_calls: '同一步骤反复进行，没有进展',
      consecutive_failures: '连续几个步骤失败',
      repeated_crash: '同一步骤多次导致程序停止',
      provider: '模型服务停止响应',
      unparsable: '模型服务发来的回复无法读取',
      contract: '所要求的内容仍有缺失',
      cut_off: '撰写过程中中断',
    },
    couldNot: (because) => `我无法处理您的邮件：${because}。已通知负责人；之后不会自动继续处理。`,
    not: {
      auth: '模型服务拒绝了此网关',
      rate_limited: '模型服务过于繁忙',
      overloaded: '模型服务负载过高',
      timeout: '模型服务未及时回复',
      unavailable: '无法连接模型服务',
      context_overflow: '邮件及其历史记录对模型来说过长',
      bad_request: '模型服务未接受该请求',
      tool_not_found: '所需的工具已不再安装',
      unsupported_runtime_action: '某个工具试图进行未获许可的操作',
      outbound_transport_not_configured: '未为其设置发件服务器',
      repeated_crash: '网关内部反复出错',
      other: '网关内部出现问题',
    },
    stopped: '对您邮件的处理在完成之前被负责人停止；之后不会自动继续处理。',
    refused: '我无法协助处理此请求。',
  },
};
