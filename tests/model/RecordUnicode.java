// Writes tests/model/unicode_vectors.inc: what the reference's Java and Lucene make of awkward texts.
//     java -cp lucene-analysis-common-9.7.0.jar:lucene-core-9.7.0.jar tests/model/RecordUnicode.java > tests/model/unicode_vectors.inc
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.Locale;
import org.apache.lucene.analysis.miscellaneous.ASCIIFoldingFilter;

public class RecordUnicode {
    static final String[] TEXTS = {
        "", "plain ASCII 123", "\u00c9clair", "e\u0301clair", "stra\u00dfe", "\u0130stanbul", "\u0131", "\u03a3\u0391\u03a3", "\u03a3", "\u0391\u03a3\u0391",
        "\u039f\u0394\u039f\u03a3 \u039f\u0394\u039f\u03a3.", "\u0391\u03a3\u0301", "\u0391\u03a3\u2019\u0391", "\u0391\u03a3'\u0391", "\u0391\u03a3-\u0391", "\u0391\u03a3.\u0391", "\u0391.\u03a3", "\u0391 \u03a3", "\u0391\u03a3. \u0391",
        "\u0391\u03a31 2\u03a3", "\u0391\u03a3\u4eac", "\u4eac\u03a3", "\u0391-\u03a3", "\ufb03n", "\ufb05", "\u0149", "\u01f0", "\u0390",
        "\u1f80\u1f88\u1fb3\u1fb2\u1ff4", "\u01c4\u01c5\u01c6", "\u0587", "\u00c5\u212b", "\u1e9b\u0323", "\u2460\u00bd\u2122", "\u00c6\u0153\u00df\u00d0\u00fe",
        "\uff21\uff42\uff11", "\u1ea0n", "\ud835\udc1a", "\ud801\udc00\ud801\udc28", "\u6771\u4eac", "\u0e44\u0e17\u0e22", "\uac00\u1100\u1161", "\u0958", "\u2c2e",
        "\u00aa\u00ba", "\u212a\u017f", "\u2126", "\u24b6\u24d0", "\u0345", "a\u0345", "\u1e9e",
    };

    static String fold(String s) {
        char[] in = s.toCharArray(), out = new char[4 * in.length + 1];
        return new String(out, 0, ASCIIFoldingFilter.foldToASCII(in, 0, out, 0, in.length));
    }

    static String quoted(String s) {
        StringBuilder b = new StringBuilder("\"");
        for (byte x : s.getBytes(StandardCharsets.UTF_8))
            b.append(x >= 0x20 && x < 0x7f ? String.valueOf((char) x) : String.format("\\%03o", x & 0xff));
        return b.append("\"").toString().replace("??", "?\\?");
    }

    public static void main(String[] args) {
        for (String s : TEXTS)
            System.out.println("{ " + quoted(s) + ", " + quoted(s.toLowerCase(Locale.ROOT)) + ", "
                + quoted(Normalizer.normalize(s.toUpperCase(Locale.ROOT), Normalizer.Form.NFC)) + ", "
                + quoted(Normalizer.normalize(s, Normalizer.Form.NFC)) + ", " + quoted(fold(s)) + " },");
    }
}
