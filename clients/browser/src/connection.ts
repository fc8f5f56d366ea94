/** One connection to an MQTT broker over a websocket: MQTT 3.1.1, QoS 1, a clean session. */

import { mqtt_pkt_ctx, type ReadPacket } from "u8-mqtt-packet/esm/codec_bind.js";
import { mqtt_opts_v4 } from "u8-mqtt-packet/esm/codec_v4_lean.js";
import { concatenate } from "./bytes.js";
import { isMixed, MIXED } from "./link.js";

/** A message that came on a topic. */
export interface Delivery {
  readonly topic: string;
  readonly payload: Uint8Array;
  /** Whether the broker had retained it. */
  readonly retained: boolean;
}

/** What the broker publishes when the connection is lost. */
export interface Will {
  readonly topic: string;
  readonly payload: Uint8Array;
  readonly retained: boolean;
}

/** There is no connection, or it was lost; the text says why. */
export class ConnectionError extends Error {}

// Seconds between pings; a broker drops a client that is silent for half as long again.
const KEEPALIVE_S = 15;
// How long to wait for an answer of the broker.
const ANSWER_MS = 10_000;
// The most bytes of one packet; the protocol's payloads are far smaller, and no others are read.
const MAX_BYTES = 1 << 20;
const REFUSED = 0x80;

/** Browsers do not tell one cause from the other. */
const NO_BROKER = (address: string): string =>
  `No MQTT broker answers browsers at ${address}: it may be down, or its websocket may have another address. Check the address and your own connection.`;

interface Waiting {
  readonly resolve: (packet: ReadPacket) => void;
  readonly reject: (error: ConnectionError) => void;
}

/** An open connection; it does not reconnect. */
export class Connection {
  readonly #socket: WebSocket;
  readonly #codec = mqtt_pkt_ctx(4, mqtt_opts_v4);
  readonly #waiting = new Map<number | "connack", Waiting>();
  readonly #deliver: (delivery: Delivery) => void;
  #lastNumber = 0;
  #held: Uint8Array = new Uint8Array(0);
  #heardMs = Date.now();
  #alive: ReturnType<typeof setInterval> | undefined;
  #lose: (error: ConnectionError) => void = () => {};
  /** Rejects when the connection is lost, resolves when `close` has ended it. */
  readonly closed: Promise<void>;
  #end: () => void = () => {};

  private constructor(socket: WebSocket, deliver: (delivery: Delivery) => void) {
    this.#socket = socket;
    this.#deliver = deliver;
    this.closed = new Promise((resolve, reject) => {
      this.#end = resolve;
      this.#lose = reject;
    });
    // Without this, a caller that does not await `closed` would get an unhandled rejection.
    this.closed.catch(() => {});
    socket.binaryType = "arraybuffer";
    socket.onmessage = ({ data }) => this.#take(new Uint8Array(data as ArrayBuffer));
  }

  /**
   * Connects to a broker.
   *
   * @param url Such as `wss://broker.example/mqtt`; user name and password may stand in it.
   * @param deliver Is called with every message, in the order in which they came.
   * @throws ConnectionError The broker cannot be reached, or refuses us.
   */
  static async open(
    url: string,
    deliver: (delivery: Delivery) => void,
    options: { readonly clientId: string; readonly will?: Will },
  ): Promise<Connection> {
    if (isMixed(url)) throw new ConnectionError(MIXED);
    const { address, username, password } = withoutUser(url);
    let socket: WebSocket;
    try {
      socket = new WebSocket(address, ["mqtt"]);
    } catch (error) {
      throw new ConnectionError((error as Error).message);
    }
    const connection = new Connection(socket, deliver);
    socket.onclose = socket.onerror = () => connection.#lost(NO_BROKER(address));
    const opened = new Promise<void>((resolve) => {
      socket.onopen = () => resolve();
    });
    const { will, clientId } = options;
    try {
      await within(Promise.race([opened, connection.closed]));
      socket.onclose = () => connection.#lost("The broker has closed the connection.");
      socket.onerror = () => connection.#lost("The connection failed.");
      const answer = await connection.#ask("connack", "connect", {
        client_id: clientId,
        keep_alive: KEEPALIVE_S,
        flags: { clean_start: true },
        ...(username === "" ? {} : { username, password }),
        ...(will && {
          will: { topic: will.topic, payload: will.payload, qos: 1, retain: will.retained },
        }),
      });
      if (Number(answer.reason) !== 0) {
        throw new ConnectionError(`The broker refuses the connection (${Number(answer.reason)}).`);
      }
    } catch (error) {
      connection.close();
      throw error;
    }
    connection.#alive = setInterval(() => connection.#keepAlive(), (KEEPALIVE_S * 1000) / 3);
    return connection;
  }

  /**
   * Subscribes to topics; returns when the broker has taken all of them.
   * @throws ConnectionError It refuses one, or the connection is lost.
   */
  async subscribe(topics: readonly string[]): Promise<void> {
    const pkt_id = this.#number();
    const { answers } = await this.#ask(pkt_id, "subscribe", { pkt_id, topics, qos: 1 });
    const refused = topics.filter((_, at) => Number(answers[at] ?? REFUSED) >= REFUSED);
    if (refused.length > 0) {
      throw new ConnectionError(`The broker refuses the subscription to ${refused.join(", ")}.`);
    }
  }

  /**
   * Unsubscribes and subscribes again, as the broker may have lost a subscription unnoticed.
   * Messages in between are lost, so what may be missing is to be asked for afterwards.
   * @throws ConnectionError The broker refuses a topic now, which ends the connection; or it was lost.
   */
  async renew(topics: readonly string[]): Promise<void> {
    // A mere second SUBSCRIBE does not do: RabbitMQ takes it for one that it has.
    const pkt_id = this.#number();
    await this.#ask(pkt_id, "unsubscribe", { pkt_id, topics });
    try {
      await this.subscribe(topics);
    } catch (error) {
      this.#lost((error as Error).message);
      throw error;
    }
  }

  /**
   * Publishes; returns when the broker has it.
   * @throws ConnectionError The connection is lost.
   */
  async publish(topic: string, payload: Uint8Array, retained = false): Promise<void> {
    const pkt_id = this.#number();
    await this.#ask(pkt_id, "publish", { pkt_id, topic, payload, qos: 1, retain: retained });
  }

  /** How long ago the broker last said anything, in milliseconds. */
  get silentMs(): number {
    return Math.max(0, Date.now() - this.#heardMs);
  }

  /** Ends the connection; the broker does not publish the will. */
  close(): void {
    if (this.#socket.readyState === WebSocket.OPEN) {
      this.#socket.send(this.#codec.encode_pkt("disconnect", {}));
    }
    this.#end();
    this.#stop("The connection is closed.");
  }

  #number(): number {
    // A packet's number is not 0, and not one that still waits for its answer.
    do this.#lastNumber = (this.#lastNumber % 0xffff) + 1;
    while (this.#waiting.has(this.#lastNumber));
    return this.#lastNumber;
  }

  async #ask(key: number | "connack", type: string, packet: object): Promise<ReadPacket> {
    const answer = new Promise<ReadPacket>((resolve, reject) => {
      this.#waiting.set(key, { resolve, reject });
    });
    this.#send(type, packet);
    try {
      return await within(answer);
    } catch (error) {
      // A broker that does not answer is as good as none.
      this.#lost((error as Error).message);
      throw error;
    }
  }

  #send(type: string, packet: object): void {
    if (this.#socket.readyState !== WebSocket.OPEN) {
      this.#lost("The connection is lost.");
      return;
    }
    this.#socket.send(this.#codec.encode_pkt(type, packet));
  }

  #keepAlive(): void {
    if (Date.now() - this.#heardMs > KEEPALIVE_S * 1500) {
      this.#lost("The broker is silent.");
      return;
    }
    this.#send("pingreq", {});
  }

  #lost(why: string): void {
    this.#lose(new ConnectionError(why));
    this.#stop(why);
  }

  #stop(why: string): void {
    clearInterval(this.#alive);
    for (const { reject } of this.#waiting.values()) reject(new ConnectionError(why));
    this.#waiting.clear();
    this.#socket.onmessage = this.#socket.onclose = this.#socket.onerror = null;
    this.#socket.close();
  }

  #take(bytes: Uint8Array): void {
    this.#heardMs = Date.now();
    let rest = this.#held.length === 0 ? bytes : concatenate(this.#held, bytes);
    for (;;) {
      const frame = frameOf(rest);
      if (frame === null) break;
      if (frame.end > MAX_BYTES) {
        this.#lost("The broker has sent a packet that is too large.");
        return;
      }
      if (frame.end > rest.length) break;
      const body = rest.subarray(frame.begin, frame.end);
      const packet = this.#codec.decode_pkt(rest[0] as number, body.length === 0 ? null : body);
      rest = rest.subarray(frame.end);
      if (packet !== undefined) this.#onPacket(packet);
    }
    this.#held = rest.slice();
  }

  #onPacket(packet: ReadPacket): void {
    if (packet.type === "publish") {
      const { topic, payload, retain, qos, pkt_id } = packet;
      if (qos > 0) this.#send("puback", { pkt_id });
      this.#deliver({ topic, payload: payload.slice(), retained: retain });
      return;
    }
    const key = packet.type === "connack" ? "connack" : packet.pkt_id;
    this.#waiting.get(key)?.resolve(packet);
    this.#waiting.delete(key);
  }
}

/** Where the body of a packet begins and ends (MQTT 3.1.1, section 2.2.3); null when that is not here yet. */
function frameOf(bytes: Uint8Array): { readonly begin: number; readonly end: number } | null {
  let length = 0;
  for (let at = 1; at <= 4; at++) {
    const byte = bytes[at];
    if (byte === undefined) return null;
    length += (byte & 0x7f) * 128 ** (at - 1);
    if (byte < 0x80) return { begin: at + 1, end: at + 1 + length };
  }
  return { begin: 0, end: Number.POSITIVE_INFINITY };
}

/** An address without its user: browsers refuse a websocket's address with one. */
function withoutUser(url: string): { address: string; username: string; password: string } {
  const address = new URL(url);
  const [username, password] = [address.username, address.password].map(decodeURIComponent);
  address.username = address.password = "";
  return { address: address.href, username: username ?? "", password: password ?? "" };
}

async function within<T>(answer: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ConnectionError("The broker does not answer.")), ANSWER_MS);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
