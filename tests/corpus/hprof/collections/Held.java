import java.lang.ref.*;
import java.math.*;
import java.time.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

/** One object of each kind of collection, with contents that are known. */
public class Held {
    enum Color { RED, GREEN, BLUE { } }
    record Point(int x, int y) { }
    static class Cache extends LinkedHashMap<String, Integer> { String owner = "me"; int hits = 3; }
    static final Held HELD = new Held();

    final Map<String, Integer> hashMap = numbers(new HashMap<>());
    final Map<String, Integer> linkedHashMap = numbers(new LinkedHashMap<>());
    final Map<String, Integer> treeMap = numbers(new TreeMap<>());
    final Map<String, Integer> concurrentHashMap = numbers(new ConcurrentHashMap<>());
    final Map<String, Integer> hashtable = numbers(new Hashtable<>());
    final Map<String, Integer> skipListMap = numbers(new ConcurrentSkipListMap<>());
    final Map<String, Integer> weakHashMap = numbers(new WeakHashMap<>());
    final Map<String, Integer> identityHashMap = numbers(new IdentityHashMap<>());
    final Map<String, Integer> properties = properties();
    final Map<String, Integer> mapOf1 = Map.of("one", 1);
    final Map<String, Integer> mapOfN = Map.of("one", 1, "two", 2, "three", 3);
    final Map<String, Integer> singletonMap = Collections.singletonMap("one", 1);
    final Map<String, Integer> emptyMap = new HashMap<>();
    final Map<String, Integer> unmodifiableMap = Collections.unmodifiableMap(numbers(new TreeMap<>()));
    final Map<String, Integer> synchronizedMap = Collections.synchronizedMap(numbers(new TreeMap<>()));
    final Map<Color, String> enumMap = new EnumMap<>(Color.class);
    final Map<Point, Point> byPoint = new HashMap<>();
    final Map<String, Object> withNulls = new HashMap<>();
    final Map<Bad, Integer> treeBins = new HashMap<>();
    final Map<Bad, Integer> concurrentTreeBins = new ConcurrentHashMap<>();
    final Cache cache = new Cache();

    final Collection<String> arrayList = words(new ArrayList<>());
    final Collection<String> linkedList = words(new LinkedList<>());
    final Collection<String> arrayDeque = wrapped();
    final Collection<String> vector = words(new Vector<>());
    final Collection<String> stack = words(new Stack<>());
    final Collection<String> copyOnWrite = words(new CopyOnWriteArrayList<>());
    final Collection<String> priorityQueue = words(new PriorityQueue<>());
    final Collection<String> arrayBlockingQueue = words(new ArrayBlockingQueue<>(8));
    final Collection<String> linkedBlockingQueue = words(new LinkedBlockingQueue<>());
    final Collection<String> linkedBlockingDeque = words(new LinkedBlockingDeque<>());
    final Collection<String> concurrentLinkedQueue = words(new ConcurrentLinkedQueue<>());
    final Collection<String> concurrentLinkedDeque = words(new ConcurrentLinkedDeque<>());
    final Collection<String> list12 = List.of("alpha");
    final Collection<String> list2 = List.of("alpha", "beta");
    final Collection<String> listN = List.of("alpha", "beta", "gamma");
    final Collection<String> asList = Arrays.asList("alpha", "beta", "gamma");
    final Collection<String> subList = new ArrayList<>(List.of("x", "alpha", "beta", "gamma", "y")).subList(1, 4);
    final Collection<String> singletonList = Collections.singletonList("alpha");
    final Collection<String> copies = Collections.nCopies(3, "alpha");
    final Collection<String> unmodifiableList = Collections.unmodifiableList(new ArrayList<>(List.of("alpha", "beta", "gamma")));
    final Collection<String> withGap = new ArrayList<>(Arrays.asList("alpha", null, "gamma"));

    final Set<String> hashSet = new HashSet<>(Set.of("alpha", "beta", "gamma"));
    final Set<String> linkedHashSet = new LinkedHashSet<>(List.of("alpha", "beta", "gamma"));
    final Set<String> treeSet = new TreeSet<>(Set.of("alpha", "beta", "gamma"));
    final Set<String> skipListSet = new ConcurrentSkipListSet<>(Set.of("alpha", "beta", "gamma"));
    final Set<String> concurrentSet = ConcurrentHashMap.newKeySet();
    final Set<String> copyOnWriteSet = new CopyOnWriteArraySet<>(List.of("alpha", "beta", "gamma"));
    final Set<String> set1 = Set.of("alpha");
    final Set<String> set2 = Set.of("alpha", "beta");
    final Set<String> setN = Set.of("alpha", "beta", "gamma");
    final Set<Color> enumSet = EnumSet.of(Color.RED, Color.BLUE);
    final Set<String> identitySet = Collections.newSetFromMap(new IdentityHashMap<>());

    final String latin = "gr\u00fcn", wide = "\u4e2d\ud83d\ude00", empty = "";
    final StringBuilder builder = new StringBuilder("built");
    final Object[] boxes = { true, (byte) -1, 'x', (short) 2, 3, 1L << 40, 0.1f, 2.5 };
    final AtomicInteger atomicInteger = new AtomicInteger(5);
    final AtomicLong atomicLong = new AtomicLong(6);
    final AtomicBoolean atomicBoolean = new AtomicBoolean(true);
    final AtomicReference<String> atomicReference = new AtomicReference<>("inside");
    final LongAdder adder = new LongAdder();
    final Optional<String> some = Optional.of("inside"), none = Optional.empty();
    final OptionalInt number = OptionalInt.of(7);
    final WeakReference<Object> cleared = new WeakReference<>(null);
    final WeakReference<Object> weak = new WeakReference<>(latin);
    final BigInteger bigInteger = new BigInteger("-123456789012345678901234567890");
    final BigDecimal bigDecimal = new BigDecimal("-12345.678"), cents = new BigDecimal("0.05");
    final UUID uuid = UUID.fromString("01234567-89ab-cdef-0123-456789abcdef");
    final Date date = new Date(0);
    final Instant instant = Instant.parse("2026-01-02T03:04:05.006Z");
    final LocalDate localDate = LocalDate.of(2026, 1, 2);
    final LocalDateTime localDateTime = LocalDateTime.of(2026, 1, 2, 3, 4, 5);
    final Duration duration = Duration.ofMillis(1500);
    final java.io.File file = new java.io.File("/demo/file");
    final Class<?> type = Color.class;
    final Color color = Color.BLUE;
    final int[] ints = { 1, -2, 3 };
    final byte[] bytes = "some bytes".getBytes();
    final char[] chars = "chars".toCharArray();
    final double[] doubles = { 0.1, Double.NaN, Double.NEGATIVE_INFINITY };
    final Object[] gaps = new Object[1000];
    final Held self = this;

    static class Bad implements Comparable<Bad> {
        final int number;
        Bad(int number) { this.number = number; }
        public int hashCode() { return 1; }
        public int compareTo(Bad other) { return Integer.compare(number, other.number); }
    }

    Held() {
        enumMap.put(Color.RED, "red"); enumMap.put(Color.BLUE, null);
        byPoint.put(new Point(1, 2), new Point(3, 4));
        withNulls.put(null, "of null"); withNulls.put("to null", null);
        for (int i = 0; i < 20; i++) { treeBins.put(new Bad(i), i); concurrentTreeBins.put(new Bad(i), i); }
        cache.put("one", 1); cache.put("two", 2); cache.get("one");
        concurrentSet.addAll(setN);
        identitySet.addAll(setN);
        adder.add(41); adder.increment();
        gaps[7] = "seven"; gaps[999] = "last";
    }

    static Map<String, Integer> numbers(Map<String, Integer> map) {
        map.put("one", 1); map.put("two", 2); map.put("three", 3);
        return map;
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    static Map<String, Integer> properties() { return (Map) numbers((Map) new Properties()); }

    static Collection<String> words(Collection<String> words) {
        words.add("alpha"); words.add("beta"); words.add("gamma");
        return words;
    }

    static Collection<String> wrapped() {
        ArrayDeque<String> queue = new ArrayDeque<>(3);
        queue.add("x"); queue.add("y"); queue.poll(); queue.poll();
        words(queue);
        return queue;
    }

    public static void main(String[] arguments) throws Exception {
        System.out.println("filled");
        Thread.sleep(3600_000);
    }
}
