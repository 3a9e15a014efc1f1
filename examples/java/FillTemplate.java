import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;

/** Fills a DOCX template with data of a JSON file, and writes the PDF. It needs the standard library only. */
public final class FillTemplate {
    private static final int ATTEMPTS_MAX = 3;
    /** The request has had no effect. */
    private static final Set<Integer> RETRIED = Set.of(429, 503, 504);

    public static void main(String[] arguments) throws IOException, InterruptedException {
        if (arguments.length != 3) {
            System.err.println("usage: java FillTemplate.java TEMPLATE.docx DATA.json RESULT.pdf");
            System.exit(2);
        }
        HttpResponse<byte[]> answer = send(requestFor(Path.of(arguments[0]), Path.of(arguments[1])));
        if (answer.statusCode() != 200) {
            // The body names the code, the fields at fault and the id of the request.
            System.err.println(new String(answer.body(), StandardCharsets.UTF_8));
            System.exit(1);
        }
        Files.write(Path.of(arguments[2]), answer.body());
        String missing = answer.headers().firstValue("X-Fields-Unmatched").orElse("0");
        System.out.println(arguments[2] + ": " + answer.body().length + " bytes, " + missing + " values missing");
    }

    private static HttpRequest requestFor(Path template, Path data) throws IOException {
        String edge = UUID.randomUUID().toString();
        byte[] request = ("{\"data\": " + Files.readString(data) + "}").getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        addPart(body, edge, "name=\"request\"", "application/json", request);
        addPart(body, edge, "name=\"file\"; filename=\"template.docx\"", "application/octet-stream",
                Files.readAllBytes(template));
        body.writeBytes(("--" + edge + "--\r\n").getBytes(StandardCharsets.US_ASCII));
        return HttpRequest.newBuilder(URI.create(System.getenv("SCRIPTORIUM_URL") + "/v1/generate?to=pdf"))
                .timeout(Duration.ofSeconds(70))
                .header("Authorization", "Bearer " + System.getenv("SCRIPTORIUM_API_KEY"))
                .header("Accept", "application/pdf")
                .header("Content-Type", "multipart/form-data; boundary=" + edge)
                .POST(BodyPublishers.ofByteArray(body.toByteArray()))
                .build();
    }

    private static void addPart(ByteArrayOutputStream body, String edge, String head, String type, byte[] content) {
        String start = "--" + edge + "\r\nContent-Disposition: form-data; " + head + "\r\nContent-Type: " + type;
        body.writeBytes((start + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
        body.writeBytes(content);
        body.writeBytes("\r\n".getBytes(StandardCharsets.US_ASCII));
    }

    /** Sends a request again if the service is busy, after the time that it asks for. */
    private static HttpResponse<byte[]> send(HttpRequest request) throws IOException, InterruptedException {
        HttpClient client = HttpClient.newHttpClient();
        for (int attempt = 1;; attempt++) {
            HttpResponse<byte[]> answer = client.send(request, BodyHandlers.ofByteArray());
            if (!RETRIED.contains(answer.statusCode()) || attempt == ATTEMPTS_MAX)
                return answer;
            long seconds = answer.headers().firstValueAsLong("Retry-After").orElse(1);
            Thread.sleep(Duration.ofSeconds(seconds).toMillis());
        }
    }
}
