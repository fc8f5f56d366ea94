/** The parts of u8-mqtt-packet that are used here; it brings no types. */

declare module "u8-mqtt-packet/esm/codec_bind.js" {
  /** A packet that was read; which fields it has depends on its type. */
  export interface ReadPacket {
    readonly type: string;
    readonly topic: string;
    readonly payload: Uint8Array;
    readonly retain: boolean;
    readonly qos: number;
    readonly pkt_id: number;
    readonly reason: number;
    readonly answers: readonly number[];
  }

  export interface Codec {
    encode_pkt(type: string, packet: object): Uint8Array<ArrayBuffer>;
    decode_pkt(firstByte: number, body: Uint8Array | null): ReadPacket | undefined;
  }

  export function mqtt_pkt_ctx(level: 4, options: object): Codec;
}

declare module "u8-mqtt-packet/esm/codec_v4_lean.js" {
  export const mqtt_opts_v4: object;
}
