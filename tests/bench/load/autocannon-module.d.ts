/** The part of autocannon that the bench uses; it has no declarations. */
declare module 'autocannon' {
  interface Request {
    readonly method?: string | undefined;
    readonly path?: string | undefined;
    readonly body?: string | undefined;
    readonly setupRequest?: (request: Request) => Request;
  }
  interface Options {
    readonly url: string;
    readonly connections: number;
    /** Seconds. */
    readonly duration: number;
    /** Milliseconds between two checks whether it is over. */
    readonly sampleInt: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly requests: readonly Request[];
  }
  interface Result {
    /** Seconds. */
    readonly duration: number;
    readonly '2xx': number;
    readonly non2xx: number;
    readonly errors: number;
  }
  export default function autocannon(options: Options): Promise<Result>;
}
