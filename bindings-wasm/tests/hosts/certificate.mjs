// A certificate for a server of a test, which signs itself: no key is in the repository, and no program is needed.

import { generateKeyPairSync, randomBytes, sign } from "node:crypto";

/** DER (X.690): a tag, a length and a content. */
function der(tag, ...contents) {
	const content = Buffer.concat(contents);
	const { length } = content;
	const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
	return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...contents) => der(0x30, ...contents);
const text = (tag, value) => der(tag, Buffer.from(value));
const identifier = (hex) => der(0x06, Buffer.from(hex, "hex"));

const ECDSA_WITH_SHA256 = sequence(identifier("2a8648ce3d040302"));
const COMMON_NAME = "550403";
const ALTERNATIVE_NAME = "551d11";

/** The private key and the certificate of a host, as PEM. */
export function selfSigned(host) {
	const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
	const name = sequence(der(0x31, sequence(identifier(COMMON_NAME), text(0x0c, host))));
	const names = der(0x04, sequence(text(0x82, host)));
	const content = sequence(
		der(0xa0, der(0x02, Buffer.from([2]))), // version 3
		der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
		ECDSA_WITH_SHA256,
		name,
		sequence(text(0x17, "200101000000Z"), text(0x17, "491231235959Z")),
		name,
		publicKey.export({ type: "spki", format: "der" }),
		der(0xa3, sequence(sequence(identifier(ALTERNATIVE_NAME), names))),
	);
	const signature = der(0x03, Buffer.from([0]), sign("sha256", content, privateKey));
	const base64 = sequence(content, ECDSA_WITH_SHA256, signature).toString("base64");
	return {
		key: privateKey.export({ type: "pkcs8", format: "pem" }),
		certificate: `-----BEGIN CERTIFICATE-----\n${base64.match(/.{1,64}/g).join("\n")}\n-----END CERTIFICATE-----\n`,
	};
}
