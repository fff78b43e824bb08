/** Warum der Server einen Wert, eine Zeile oder eine Anfrage ablehnt. */
export const fault = {
  /** Nach dem Code des Fehlers. */
  code: {
    FAILED_VALIDATION: 'Das wird hier nicht angenommen.',
    INVALID_PAYLOAD: 'Damit kann der Server nichts anfangen.',
    INVALID_QUERY: 'Mit dieser Abfrage kann der Server nichts anfangen.',
    RECORD_NOT_UNIQUE: 'Ein anderer Eintrag hat diesen Wert schon.',
    NOT_NULL_VIOLATION: 'Hier fehlt ein Wert.',
    CONTAINS_NULL_VALUES: 'Manche Einträge haben hier noch keinen Wert.',
    INVALID_FOREIGN_KEY:
      'Den Eintrag, auf den verwiesen wird, gibt es nicht, oder es wird noch auf ihn verwiesen.',
    VALUE_OUT_OF_RANGE: 'Diese Zahl ist zu groß oder zu klein.',
    VALUE_TOO_LONG: 'Dieser Text ist zu lang.',
    INVALID_COLLECTION: 'Diese Sammlung lässt sich hier nicht verwenden.',
    INVALID_INVITE: 'Diese Einladung gilt nicht mehr.',
    INVALID_CREDENTIALS: 'E-Mail-Adresse oder Passwort ist falsch.',
    INVALID_OTP: 'Das Einmalpasswort ist falsch.',
    INVALID_IP: 'Von Ihrer Adresse aus ist das nicht erlaubt.',
    TOKEN_EXPIRED: 'Ihre Sitzung ist zu Ende. Melden Sie sich wieder an.',
    USER_SUSPENDED: 'Dieses Konto ist gesperrt.',
    FORBIDDEN: 'Das dürfen Sie nicht, oder das, worum es geht, gibt es nicht.',
    INVALID_TOKEN: 'Dieser Link gilt nicht mehr.',
    LIMIT_EXCEEDED:
      'Das ist mehr, als auf einmal erlaubt ist. Versuchen Sie es später noch einmal.',
    ROUTE_NOT_FOUND: 'Das kennt der Server nicht.',
    METHOD_NOT_ALLOWED: 'Das erlaubt der Server hier nicht.',
    OUT_OF_TIME:
      'Das hat zu lange gedauert. Versuchen Sie es noch einmal, oder tun Sie weniger auf einmal.',
    CONFLICT: 'Das ist im jetzigen Zustand nicht möglich.',
    PRECONDITION_FAILED: 'Jemand anderes hat das inzwischen geändert.',
    CONTENT_TOO_LARGE: 'Das ist größer, als der Server annimmt.',
    UNSUPPORTED_MEDIA_TYPE: 'Dateien dieser Art werden hier nicht angenommen.',
    RANGE_NOT_SATISFIABLE: 'Diesen Teil hat die Datei nicht.',
    UNPROCESSABLE_ENTITY: 'Das ist nicht möglich.',
    REQUESTS_EXCEEDED:
      'Zu viele Versuche. Warten Sie eine Minute und versuchen Sie es noch einmal.',
    HEADERS_TOO_LARGE: 'Das ist größer, als der Server annimmt.',
    INTERNAL_SERVER_ERROR: 'Im Server ist etwas schiefgegangen.',
    SERVICE_UNAVAILABLE:
      'Der Server kann gerade nicht antworten. Versuchen Sie es gleich noch einmal.',
  },
  /** Regeln von Feldern und Rechten. */
  rule: {
    eq: 'Erlaubt ist nur: %{value}',
    neq: 'Nicht erlaubt ist: %{value}',
    lt: 'Der Wert muss kleiner sein als %{value}.',
    lte: 'Der Wert darf höchstens %{value} sein.',
    gt: 'Der Wert muss größer sein als %{value}.',
    gte: 'Der Wert muss mindestens %{value} sein.',
    in: 'Erlaubt sind nur: %{value}',
    nin: 'Nicht erlaubt sind: %{value}',
    empty: 'Dieses Feld muss leer sein.',
    required: 'Dieses Feld braucht einen Wert.',
    contains: 'Der Wert muss enthalten: %{value}',
    ncontains: 'Der Wert darf nicht enthalten: %{value}',
    starts: 'Der Wert muss beginnen mit: %{value}',
    nstarts: 'Der Wert darf nicht beginnen mit: %{value}',
    ends: 'Der Wert muss enden mit: %{value}',
    nends: 'Der Wert darf nicht enden mit: %{value}',
    regex: 'Der Wert hat nicht die verlangte Form.',
    email: 'Das ist keine E-Mail-Adresse.',
  },
};
